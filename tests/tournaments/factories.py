"""Clubs, tournaments and played holes, made with the real services."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import F
from django.utils import timezone

from games import journal, names, selectors
from games import services as games_services
from games.engine import EASY, GameCode, RuleSet
from games.models import Game, Player
from tournaments import services
from tournaments.models import (
    Club,
    Entry,
    HoleResult,
    Membership,
    Round,
    Tournament,
)

#: Of the accounts.
PASSWORD = "quiet-otter-31"
_numbers = count(1)


def new_player(name: str | None = None) -> Player:
    return games_services.create_guest(name=name or f"Player {next(_numbers)}")


def new_account(name: str | None = None, **fields: Any) -> Player:
    """A player with a password; the user name is the name without spaces."""
    name = name or f"Account {next(_numbers)}"
    player = Player(username=name.replace(" ", ""), name=name, **fields)
    player.set_password(PASSWORD)
    player.full_clean()
    player.save()
    return player


def new_member(
    club: Club, name: str | None = None, role: str = Membership.Role.MEMBER, **fields: Any
) -> Player:
    """An account that belongs to the club, whatever its way in is."""
    player = new_account(name)
    key = names.skeleton(player.name)
    Membership.objects.create(
        club=club, player=player, role=role, name=player.name, name_key=key, **fields
    )
    return player


def new_club(**fields: Any) -> Club:
    number = next(_numbers)
    values = {"name": f"Club {number}", "slug": f"club-{number}", "guests_welcome": True}
    return Club.objects.create(**{**values, "joining": Club.Joining.OPEN, **fields})


def codes(holes: int, rules: RuleSet = EASY, first: int = 1) -> list[GameCode]:
    """Secret deals that are the same in every run."""
    return [GameCode.secret(rules, (first + hole) * 10**30) for hole in range(holes)]


def plan(**fields: Any) -> services.Plan:
    """Nine holes by Easy rules that have been open for an hour and stay so for another.

    `holes`, `opens_at` and `closes_at` make `rounds` that are all open between the two times.
    """
    number = next(_numbers)
    now = timezone.now()
    window = {
        "holes": fields.pop("holes", 9),
        "opens_at": fields.pop("opens_at", now - timedelta(hours=1)),
        "closes_at": fields.pop("closes_at", now + timedelta(hours=1)),
    }
    values: dict[str, Any] = {
        "name": f"Tournament {number}",
        "slug": f"tournament-{number}",
        "rules": EASY,
        "rounds": services.whole_window(**window),
    }
    return services.Plan(**{**values, **fields})


_OPTIONS = ("codes", "is_friendly", "day", "recurrence", "copy_of")


def new_draft(*, club: Club | None = None, **fields: Any) -> Tournament:
    """A draft of a tournament as `plan` has it, on deals that are the same in every run."""
    options = {name: fields.pop(name) for name in _OPTIONS if name in fields}
    made = plan(**fields)
    drawn = codes(made.holes, made.rules, first=next(_numbers) * 100)
    return services.create_tournament(
        club=club or new_club(), plan=made, **{"codes": drawn, **options}
    )


def new_tournament(**fields: Any) -> Tournament:
    """A tournament that has been open for an hour and stays so for another."""
    return services.publish(tournament=new_draft(**fields))


def new_entry(tournament: Tournament, name: str | None = None) -> Entry:
    """An entry of a new player, in the first division where there are any."""
    division = tournament.divisions.first()
    return services.enter(tournament=tournament, player=new_player(name), division=division)


def play(game: Game, actions: str, *, announce: bool = True) -> Game:
    """Store actions as a socket does, and tell of the end if that is one."""
    games_services.start_clock(game_id=game.pk)
    turn = len(selectors.actions_of(game_id=game.pk))
    rows = [
        journal.Row(game_id=game.pk, turn=turn + i, action=action, ms=(turn + i) * 100)
        for i, action in enumerate(actions)
    ]
    assert journal.write(rows) == [True] * len(rows)
    game = games_services.refresh_figures(game_id=game.pk)
    if announce and game.finished_at is not None:
        games_services.announce_finished(game_id=game.pk)
    return game


def first_legal(game: Game) -> str:
    """The actions of a player who always takes the first legal one, until the end."""
    position = selectors.play_of(game=game, actions="")
    actions = ""
    while not position.final:
        action = (position.legal() or "g")[0]  # a block is to be accepted where undo is on
        position.act(action)
        actions += action
    return actions


def play_hole(entry: Entry, number: int, actions: str | None = None) -> HoleResult:
    """Start and finish a hole, by default with the first legal action each time."""
    result = services.start_hole(entry=entry, number=number)
    play(result.game, first_legal(result.game) if actions is None else actions)
    result.refresh_from_db()
    return result


def play_holes(entry: Entry, *, first: int = 1, last: int = 9) -> Entry:
    for number in range(first, last + 1):
        play_hole(entry, number)
    entry.refresh_from_db()
    return entry


def record(
    entry: Entry,
    *strokes: int,
    first: int = 1,
    app_scores: Sequence[int] = (),
    at: datetime | None = None,
    **figures: Any,
) -> Entry:
    """Let an entry have finished holes with these strokes, without playing them.

    `at` is when the last of them was finished, by default now; `figures` are further fields of the
    games.
    """
    at = at or timezone.now()
    for place, each in enumerate(strokes):
        hole = entry.tournament.holes.get(number=first + place)
        left = max(each, 0)
        standard = {
            "strokes_below_par": each,
            "app_score": app_scores[place] if app_scores else max(0, 350 - 20 * left),
            "time_ms": 60_000,
        }
        game = Game.objects.create(
            player=entry.player,
            deal_code=hole.deal_code,
            is_secret=True,
            closes_at=entry.tournament.closes_at,
            started_at=at - timedelta(minutes=1),
            finished_at=at,
            state=Game.State.GIVEN_UP if left else Game.State.WON,
            cleared=35 - left,
            left=left,
            strokes=left,
            **{**standard, **figures},
        )
        HoleResult.objects.create(entry=entry, hole=hole, game=game)
    services.refresh_entry(entry_id=entry.pk)
    entry.refresh_from_db()
    return entry


def let_time_pass(tournament: Tournament, by: timedelta | None = None) -> Tournament:
    """Move all its times into the past, by default until its closing time was a second ago."""
    shift = by or tournament.closes_at - timezone.now() + timedelta(seconds=1)
    games = Game.objects.filter(hole_result__hole__tournament=tournament)
    moved: list[tuple[Any, tuple[str, ...]]] = [
        (
            Tournament.objects.filter(pk=tournament.pk),
            ("opens_at", "closes_at", "entries_close_at", "extended_to"),
        ),
        (Round.objects.filter(tournament=tournament), ("opens_at", "closes_at")),
        (Entry.objects.filter(tournament=tournament), ("started_at", "extended_to")),
        (games, ("created_at", "started_at", "closes_at", "finished_at")),
    ]
    for rows, times in moved:
        rows.update(**{name: F(name) - shift for name in times})
    tournament.refresh_from_db()
    return tournament


def set_rounds(
    tournament: Tournament, *windows: tuple[float, float], cut_to: int | None = None
) -> None:
    """Give the rounds windows of their own, in hours from now; the first one may have a cut."""
    now = timezone.now()
    for number, (opens, closes) in enumerate(windows, 1):
        Round.objects.filter(tournament=tournament, number=number).update(
            opens_at=now + timedelta(hours=opens),
            closes_at=now + timedelta(hours=closes),
            cut_to=cut_to if number == 1 else None,
        )
    Tournament.objects.filter(pk=tournament.pk).update(
        opens_at=now + timedelta(hours=windows[0][0]),
        closes_at=now + timedelta(hours=windows[-1][1]),
    )
    tournament.refresh_from_db()


def extend(entry: Entry, until: datetime) -> Entry:
    """Give an entry more time, as a director does."""
    services.extend_window(entry=entry, until=until, by=entry.player, reason="The line was down.")
    entry.refresh_from_db()
    return entry


def decide(entry: Entry, kind: str) -> Entry:
    """Decide whether an entry competes, as a director does."""
    decisions = {
        "disqualify": services.disqualify,
        "withdraw": services.withdraw_entry,
        "remove": services.hide_entry,
        "reinstate": services.reinstate,
    }
    decisions[kind](entry=entry, by=entry.player, reason=f"Decided at {timezone.now()}.")
    entry.refresh_from_db()
    return entry


def closes_at(entry: Entry, number: int) -> datetime:
    game = Game.objects.get(hole_result__entry=entry, hole_result__hole__number=number)
    assert game.closes_at is not None
    return game.closes_at


def secrets_of(tournament: Tournament) -> list[str]:
    """Every text that would give away a deal: its code, number, cards in a row; and the salt."""
    found = []
    for text in tournament.holes.values_list("deal_code", flat=True):
        deal = GameCode.parse(text).deal()
        found += [text, text.rpartition("-")[2], deal.text.split(" ")[2]]
        columns = deal.text.split(" ")[0].split("/")
        found += columns
        found += [" ".join(column[i : i + 2] for i in range(0, 10, 2)) for column in columns]
    return [*found, tournament.salt] if tournament.salt else found


def codes_of(error: ValidationError) -> dict[str, list[str]]:
    if not hasattr(error, "error_dict"):
        return {"": [str(each.code) for each in error.error_list]}
    return {
        "" if field == "__all__" else field: [str(each.code) for each in errors]
        for field, errors in error.error_dict.items()
    }

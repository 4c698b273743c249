"""Clubs, tournaments and played holes, made with the real services."""

from datetime import timedelta
from itertools import count
from typing import Any

from django.db.models import F
from django.utils import timezone

from games import journal, selectors
from games import services as games_services
from games.engine import EASY, GameCode, RuleSet
from games.models import Game, Player
from tournaments import services
from tournaments.models import Club, Entry, HoleResult, Tournament

_numbers = count(1)


def new_player(name: str | None = None) -> Player:
    return games_services.create_guest(name=name or f"Player {next(_numbers)}")


def new_club(**fields: Any) -> Club:
    number = next(_numbers)
    return Club.objects.create(**{"name": f"Club {number}", "slug": f"club-{number}", **fields})


def codes(holes: int, rules: RuleSet = EASY, first: int = 1) -> list[GameCode]:
    """Secret deals that are the same in every run."""
    return [GameCode.secret(rules, (first + hole) * 10**30) for hole in range(holes)]


def new_tournament(*, holes: int = 9, rules: RuleSet = EASY, **fields: Any) -> Tournament:
    """A tournament that has been open for an hour and stays so for another."""
    number = next(_numbers)
    now = timezone.now()
    values: dict[str, Any] = {
        "club": fields.pop("club", None) or new_club(),
        "name": f"Tournament {number}",
        "slug": f"tournament-{number}",
        "rules": rules,
        "rank_by": Tournament.RankBy.STROKES,
        "opens_at": now - timedelta(hours=1),
        "closes_at": now + timedelta(hours=1),
        "codes": codes(holes, rules, first=number * 100),
    }
    return services.create_tournament(**{**values, **fields})


def new_entry(tournament: Tournament, name: str | None = None) -> Entry:
    return services.enter(tournament=tournament, player=new_player(name))


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
        action = position.legal()[0]
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


def let_time_pass(tournament: Tournament) -> Tournament:
    """Move the window into the past: its closing time was a second ago."""
    shift = tournament.closes_at - timezone.now() + timedelta(seconds=1)
    Tournament.objects.filter(pk=tournament.pk).update(
        opens_at=F("opens_at") - shift, closes_at=F("closes_at") - shift
    )
    Game.objects.filter(hole_result__hole__tournament=tournament).update(
        closes_at=F("closes_at") - shift
    )
    tournament.refresh_from_db()
    return tournament


def secrets_of(tournament: Tournament) -> list[str]:
    """Every text that would give away a deal: its code, its number, its cards in a row."""
    found = []
    for text in tournament.holes.values_list("deal_code", flat=True):
        deal = GameCode.parse(text).deal()
        found += [text, text.rpartition("-")[2], deal.text.split(" ")[2]]
        columns = deal.text.split(" ")[0].split("/")
        found += columns
        found += [" ".join(column[i : i + 2] for i in range(0, 10, 2)) for column in columns]
    return found

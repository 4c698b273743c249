"""Who comes while another has done all and not committed yet: never a result of half of both."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games import deletion
from games import services as games_services
from games.models import AccountEvent, Game, Player
from tournaments import selectors, services
from tournaments.dates import Every
from tournaments.models import (
    Correction,
    Division,
    Entry,
    Membership,
    Recurrence,
    Season,
    Seat,
    Tournament,
)
from tournaments.services import rooms
from tournaments.services.seasons import SeasonPlan

from .factories import (
    extend,
    let_time_pass,
    new_account,
    new_club,
    new_entry,
    new_member,
    new_player,
    new_tournament,
    play_hole,
    play_holes,
    set_rounds,
)
from .racing import new_room
from .test_concurrency import at_once

pytestmark = pytest.mark.django_db(transaction=True)

#: Seconds in which who comes second has read all that he reads without waiting.
READ = 0.3


def overtaken(first: Callable[[], Any], second: Callable[[], Any]) -> list[Any]:
    """Let `second` come when `first` has done all but commit; return what came of each.

    Where the second has to wait he waits; where he need not, he is through before the commit.
    """
    is_done = threading.Event()

    def do_first() -> Any:
        with transaction.atomic():
            outcome = first()
            is_done.set()
            time.sleep(READ)
        return outcome

    def do_second() -> Any:
        assert is_done.wait(timeout=60)
        try:
            return second()
        except PermissionDenied as error:
            return error

    return at_once(do_first, do_second)


# --- tournaments -------------------------------------------------------------------------------


def test_no_cut_is_made_while_somebody_is_given_more_time() -> None:
    tournament = new_tournament(holes=10)
    set_rounds(tournament, (-1, 1), (2, 3), cut_to=1)
    play_holes(new_entry(tournament), last=9)
    slow = new_entry(tournament)
    let_time_pass(tournament, by=timedelta(hours=1, minutes=1))
    now = timezone.now()
    _given, cuts = overtaken(
        lambda: extend(slow, now + timedelta(minutes=30)),
        lambda: services.make_cuts(now=now),
    )
    slow.refresh_from_db()
    assert (cuts, slow.status, slow.cut_after) == (0, "active", None)
    assert services.start_hole(entry=slow, number=1).game is not None


def test_a_hole_that_is_voided_while_another_is_stays_void(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second reads the decisions before the first commits, and acts on them after that."""
    tournament = new_tournament()
    first, second = new_player(), new_player()
    void_holes = selectors.void_holes

    def read_slowly(**options: Any) -> set[int]:
        void = void_holes(**options)
        time.sleep(2 * READ)
        return void

    monkeypatch.setattr(selectors, "void_holes", read_slowly)
    overtaken(
        lambda: services.void_hole(tournament=tournament, number=2, by=first, reason="Misdealt"),
        lambda: services.void_hole(tournament=tournament, number=9, by=second, reason="Misdealt"),
    )
    void = tournament.holes.filter(is_void=True)
    assert list(void.values_list("number", flat=True)) == [2, 9]


def test_who_sees_the_deals_as_he_enters_has_no_place() -> None:
    for order in (1, -1):
        tournament = new_tournament(holes=2)
        director = new_member(tournament.club, role="director")
        acts = [
            lambda t=tournament, d=director: services.enter(tournament=t, player=d),
            lambda t=tournament, d=director: services.open_deals(tournament=t, by=d),
        ]
        overtaken(*acts[::order])
        assert Entry.objects.get(tournament=tournament).status == "unranked"


def test_nobody_leaves_a_tournament_that_is_closing() -> None:
    tournament = new_tournament()
    entry = new_entry(tournament)
    play_hole(entry, 1)
    let_time_pass(tournament)
    now = timezone.now()
    closed, left = overtaken(
        lambda: services.close_due(now=now), lambda: services.withdraw(entry=entry)
    )
    entry.refresh_from_db()
    assert (closed, str(left), entry.status) == (1, "closed", "active")
    assert not Correction.objects.exists()


@pytest.mark.parametrize("way", ["enter", "add", "change"])
def test_nobody_comes_into_a_division_that_is_taken_away(way: str) -> None:
    tournament = new_tournament(divisions=("Men", "Seniors"))
    entry = new_entry(tournament)
    gone = Division.objects.get(name="Seniors")
    player, director = new_player(), new_player()
    acts: dict[str, Callable[[], Any]] = {
        "enter": lambda: services.enter(tournament=tournament, player=player, division=gone),
        "add": lambda: services.add_player(
            tournament=tournament, player=player, division=gone, by=director, reason="Late bus"
        ),
        "change": lambda: services.change_division(
            entry=entry, division=gone, by=director, reason="He is 70"
        ),
    }
    plan = replace(services.plan_of(tournament), divisions=("Men",))
    _changed, refused = overtaken(
        lambda: services.update_tournament(tournament=tournament, plan=plan), acts[way]
    )
    assert str(refused) == "no_such_division"
    assert (Entry.objects.get(), Correction.objects.count()) == (entry, 0)


def test_each_change_of_a_division_tells_what_was_before() -> None:
    tournament = new_tournament(divisions=("Juniors", "Men", "Seniors"))
    entry = new_entry(tournament)
    director = new_player()
    men, seniors = (Division.objects.get(name=name) for name in ("Men", "Seniors"))
    first, second = overtaken(
        *[
            lambda to=to: services.change_division(
                entry=entry, division=to, by=director, reason=f"To {to}"
            )
            for to in (men, seniors)
        ]
    )
    assert first.after == second.before == {"division": men.pk, "name": "Men"}


def test_seasons_that_exchange_tournaments_do_not_wait_for_each_other() -> None:
    club = new_club()
    held = [new_tournament(club=club) for _ in range(4)]
    today = timezone.now().date()
    days = {"starts_on": today - timedelta(days=2), "ends_on": today + timedelta(days=2)}
    ids = [tournament.pk for tournament in held]

    def season(name: str) -> tuple[Season, SeasonPlan]:
        plan = SeasonPlan(name=name, slug=name.lower(), **days)
        return services.create_season(club=club, plan=plan), plan

    (spring, of_spring), (autumn, of_autumn) = season("Spring"), season("Autumn")
    own, others = ids[1:3], [ids[0], ids[3]]
    for _ in range(6):
        services.update_season(season=spring, plan=of_spring, tournaments=own)
        services.update_season(season=autumn, plan=of_autumn, tournaments=others)
        own, others = others, own
        at_once(
            lambda own=own: services.update_season(season=spring, plan=of_spring, tournaments=own),
            lambda others=others: services.update_season(
                season=autumn, plan=of_autumn, tournaments=others
            ),
        )
        seasons = Tournament.objects.order_by("pk").values_list("season", flat=True)
        assert set(seasons) <= {spring.pk, autumn.pk, None}


def test_a_tournament_that_is_repeated_twice_at_once_is_repeated_once() -> None:
    tournament = new_tournament()
    first_on = timezone.now().date() + timedelta(days=3)
    first, second = overtaken(
        *[
            lambda: services.start_recurring(
                tournament=tournament, every=Every.WEEK, first_on=first_on
            )
        ]
        * 2
    )
    assert first == second == Recurrence.objects.get()


# --- players who go for good ---------------------------------------------------------------------


def names_of(player: Player) -> set[str]:
    """Under what names a player is kept."""
    rows = [Player.objects.filter(pk=player.pk), *(
        model.objects.filter(player=player) for model in (Entry, Membership, Seat)
    )]  # fmt: skip
    return {name for each in rows for name in each.values_list("name", flat=True)}


def ways() -> dict[str, Callable[[Player], Any]]:
    """How a player comes to be named somewhere."""
    tournament, club, room = new_tournament(), new_club(), new_room(new_account("Host"))
    return {
        "rename": lambda player: games_services.rename(player=player, name="Zeb"),
        "enter": lambda player: services.enter(tournament=tournament, player=player),
        "join": lambda player: services.join_club(club=club, player=player),
        "sit": lambda player: rooms.take_seat(room=room, player=player),
        "open": lambda player: rooms.open_room(host=player, settings=rooms.RoomSettings()),
        "add": lambda player: services.add_player(
            tournament=tournament, player=player, by=new_player(), reason="Late bus"
        ),
    }


@pytest.mark.parametrize("way", ["rename", "enter", "join", "sit", "open", "add"])
def test_who_goes_for_good_is_named_nowhere_any_more(way: str) -> None:
    act = ways()[way]
    player = new_account("Zebedee")
    pseudonym, refused = overtaken(
        lambda: deletion.delete_player(player=player), lambda: act(player)
    )
    assert isinstance(refused, PermissionDenied)
    assert names_of(player) == {pseudonym}
    assert AccountEvent.objects.filter(player=player).count() == 1


@pytest.mark.parametrize("way", ["rename", "enter", "join", "sit", "open", "add"])
def test_what_he_did_just_before_goes_with_him(way: str) -> None:
    act = ways()[way]
    player = new_account("Zebedee")
    _done, pseudonym = overtaken(lambda: act(player), lambda: deletion.delete_player(player=player))
    assert names_of(player) == {pseudonym}
    assert AccountEvent.objects.filter(player=player).count() == 1


def test_no_guest_becomes_part_of_an_account_that_goes_for_good() -> None:
    guest, account = new_player("Zeb"), new_account("Zebedee")
    new_entry_of = services.enter(tournament=new_tournament(), player=guest)
    play_hole(new_entry_of, 1)
    pseudonym, refused = overtaken(
        lambda: deletion.delete_player(player=account),
        lambda: games_services.merge_guest(guest=guest, into=account),
    )
    assert isinstance(refused, PermissionDenied)
    assert (names_of(account), names_of(guest)) == ({pseudonym}, {"Zeb"})
    assert set(Game.objects.values_list("player", flat=True)) == {guest.pk}


def test_a_guest_who_goes_for_good_becomes_no_account() -> None:
    guest = new_player("Zeb")

    def become_account() -> str:
        with pytest.raises(games_services.AccountError) as refused:
            games_services.become_account(
                player=guest, username="zebedee", name="Zebedee", password="seven columns"
            )
        return refused.value.code

    pseudonym, code = overtaken(lambda: deletion.delete_player(player=guest), become_account)
    assert (code, names_of(guest)) == ("not_guest", {pseudonym})


@pytest.mark.parametrize("act", ["role", "link", "join"])
def test_a_player_is_held_before_his_club(act: str) -> None:
    """As where he deletes himself, who leaves his clubs: else each could wait for the other."""
    club = new_club()
    owner, stranger = new_member(club, role="owner"), new_account()
    membership = services.join_club(club=club, player=new_account())
    acts: dict[str, Callable[[], Any]] = {
        "role": lambda: services.set_role(membership=membership, role="director", by=owner),
        "link": lambda: services.issue_password_link(membership=membership, by=owner),
        "join": lambda: services.join_club(club=club, player=stranger),
    }
    with CaptureQueriesContext(connection) as asked:
        acts[act]()
    held = [
        table
        for query in asked.captured_queries
        for table in ("games_player", "tournaments_club")
        if f'FOR NO KEY UPDATE OF "{table}"' in query["sql"]
    ]
    if connection.vendor == "postgresql":
        assert held[:2] == ["games_player", "tournaments_club"]
    else:
        assert held == []

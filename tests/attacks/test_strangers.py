"""What belongs to a club is neither seen nor changed by who has no business there.

Each address of the site is asked for with what belongs to one club, by the owner of another, by a
guest, by nobody and by an ordinary member.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import services as games_services
from games.models import Player
from tests.tournaments.factories import new_draft, new_member
from tests.tournaments.world import World

from .ground import FIELDS, Rows, browser, forms_of_an_owner, paths_to, rows, things, undone

pytestmark = pytest.mark.django_db

#: Pages that are everybody's, whoever's club it is.
PUBLIC = {
    "club", "club_calendar", "club_members", "seasons", "season", "tournament", "leaderboard",
    "leaderboard_table", "leaderboard_mine", "screen", "screen_rows", "match", "scorecard",
    "scorecard_picture", "tournament_proof", "tournament_figures", "hole_figures",
    "tournament_corrections", "tournament_exports", "tournament_board_csv",
    "tournament_board_json", "tournament_scorecards_csv", "tournament_scorecards_json",
    "tournament_results_csv", "tournament_results_json", "tournament_corrections_csv",
    "tournament_corrections_json", "room", "room_code",
}  # fmt: skip
#: Pages for who is no member, and for who is.
_DOORS = {"club_join"}
_OWN = {"my_membership", "club_leave"}


@pytest.fixture
def north(db: None) -> World:
    return World("North")


@pytest.fixture
def south(db: None) -> World:
    return World("South")


def changed(before: Rows, *, own: Player | None) -> list[str]:
    """What is not as it was, and whose rows are new; those of one's own are one's own.

    A visitor who becomes a guest by it is a new player, and on his own.
    """
    now = rows()
    found = []
    for key, row in before.items():
        fields = [name for name, value in row.items() if now.get(key, {}).get(name) != value]
        found += [f"{key} has another {', '.join(fields)}"] if fields else []
    new = now.keys() - before.keys()
    mine = {pk for model, pk in new if model == "games.player"} | ({own.pk} if own else set())
    for key in new:
        if key[0] != "games.player" and not mine & set(_whose(key, now)):
            found.append(f"{key} is new: {now[key]}")
    return found


def _whose(key: Any, now: Rows) -> Iterator[object]:
    """The players to whom a row belongs."""
    row = now[key]
    yield from (row.get(name) for name in ("player_id", "by_id", "host_id"))
    for model, name in (("entry", "entry_id"), ("seat", "seat_id"), ("holeresult", "result_id")):
        if name in row:
            yield now.get((f"tournaments.{model}", row[name]), {}).get("player_id")


def strangers(north: World, south: World) -> dict[str, Player | None]:
    return {
        "nobody": None,
        "guest": games_services.create_guest(name="Guest"),
        "owner of another club": south.owner,
        "member": new_member(north.club, "Mia"),
    }


@pytest.fixture
def everybody(north: World, south: World) -> dict[str, Player | None]:
    return strangers(north, south)


#: A statement that stores something of games or tournaments.
_WRITE = re.compile(r'(INSERT INTO|UPDATE|DELETE FROM) "(games|tournaments)_')
WHO = ["nobody", "guest", "owner of another club", "member"]


@pytest.mark.parametrize("who", WHO)
def test_nothing_of_a_club_is_changed_by(
    north: World, everybody: dict[str, Player | None], who: str
) -> None:
    player, values = everybody[who], things(north)
    filled = {form.path: form.fields for form in forms_of_an_owner(values, north.owner)}
    paths = [path for address, path in paths_to(values) if address.parameters]
    assert len(paths) > 90
    before = rows()
    assert len(before) > 60
    client, done = browser(player), {}
    for path in paths:
        with undone(client), CaptureQueriesContext(connection) as asked:
            response = client.post(path, filled.get(path, FIELDS))
            assert response.status_code < 500, path
            if any(_WRITE.match(query["sql"]) for query in asked) and (
                found := changed(before, own=player)
            ):
                done[path] = found
    if who == "member":  # which are his own affairs
        for own in ("leave", "me"):
            done.pop(f"/clubs/{north.club.slug}/{own}/", None)
    assert done == {}


@pytest.mark.parametrize("who", WHO)
def test_only_public_pages_of_a_club_are_shown_to(
    north: World, everybody: dict[str, Player | None], who: str
) -> None:
    client = browser(everybody[who])
    shown = set()
    for address, path in paths_to(things(north)):
        response = client.get(path)
        assert response.status_code < 500, path
        if response.status_code == 200 and address.parameters:
            shown.add(address.name)
    assert shown == PUBLIC | (_OWN if who == "member" else _DOORS)


@pytest.mark.parametrize("who", WHO)
def test_nothing_of_a_draft_is_shown_to(
    north: World, everybody: dict[str, Player | None], who: str
) -> None:
    draft = new_draft(club=north.club, slug="a-draft", name="A draft", codes=None)
    client = browser(everybody[who])
    values = things(north) | {"tournaments": (draft.slug,)}
    before = rows()
    asked = 0
    for address, path in paths_to(values):
        if not address.route.startswith("tournaments/<"):
            continue
        for response in (client.get(path), client.post(path, FIELDS)):
            asked += 1
            is_turned_away = response.status_code == 302 and "/log-in/" in response["Location"]
            assert is_turned_away or response.status_code in {403, 404, 405}, path
            assert b"A draft" not in response.content, path
    assert asked > 100
    assert rows() == before
    assert browser(north.owner).get(f"/tournaments/{draft.slug}/").status_code == 200


def test_the_owner_can_do_it(north: World) -> None:
    """So that the tests above cannot pass by asking for nothing."""
    values = things(north)
    filled = {form.path: form.fields for form in forms_of_an_owner(values, north.owner)}
    before, done, client = rows(), set(), browser(north.owner)
    for address, path in paths_to(values):
        with undone(client):
            response = client.post(path, filled.get(path, FIELDS))
            if response.status_code == 302 and changed(before, own=None):
                done.add(address.name)
    print(sorted(done))
    assert {
        "club_settings", "club_tablet_unmark", "tournament_decide_entry", "tournament_decide_hole",
        "tournament_decide_result", "tournament_step", "tournament_flag_seen", "season_edit",
    } <= done  # fmt: skip

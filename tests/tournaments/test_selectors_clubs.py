"""Who belongs to a club, and what that allows."""

from datetime import timedelta
from typing import Any

import pytest

from games.models import Player
from tournaments import selectors
from tournaments.models import AllowedName, Club, Membership, Round

from .factories import (
    new_account,
    new_club,
    new_draft,
    new_member,
    new_player,
    new_tournament,
)

pytestmark = pytest.mark.django_db

Role, Status, Joining = Membership.Role, Membership.Status, Club.Joining


def member(club: Club, player: Player, **fields: Any) -> Membership:
    return Membership.objects.create(
        club=club, player=player, name=player.name, name_key=player.name, **fields
    )


def test_a_membership_is_found_also_when_it_has_ended() -> None:
    club, ann = new_club(), new_account("ann")
    assert selectors.clubs.membership_of(club=club, player=ann) is None
    left = member(club, ann, status=Status.LEFT)
    member(new_club(), ann)
    assert selectors.clubs.membership_of(club=club, player=ann) == left


@pytest.mark.parametrize("role", Role.values)
@pytest.mark.parametrize("status", Status.values)
def test_active_owners_and_directors_direct(role: str, status: str) -> None:
    club, ann = new_club(), new_account("ann")
    member(club, ann, role=role, status=status)
    directs = role != Role.MEMBER and status == Status.ACTIVE
    assert selectors.clubs.may_direct(club=club, player=ann) is directs
    assert list(selectors.clubs.clubs_directed_by(player=ann)) == ([club] if directs else [])


def test_directing_one_club_is_not_directing_another() -> None:
    ann, other = new_account("ann"), new_club()
    member(new_club(), ann, role=Role.OWNER)
    assert not selectors.clubs.may_direct(club=other, player=ann)


def test_a_superuser_directs_everything() -> None:
    root = new_account("root", is_superuser=True)
    clubs = [new_club(name="B"), new_club(name="A")]
    assert selectors.clubs.may_direct(club=clubs[0], player=root)
    assert list(selectors.clubs.clubs_directed_by(player=root)) == clubs[::-1]
    assert list(selectors.clubs.clubs_of(player=root)) == []


def test_the_clubs_of_a_player_are_those_of_now_by_name() -> None:
    ann = new_account("ann")
    for name, status in [("C", "active"), ("B", "left"), ("A", "active"), ("D", "banned")]:
        member(new_club(name=name), ann, status=status)
    assert [club.name for club in selectors.clubs.clubs_of(player=ann)] == ["A", "C"]


@pytest.mark.parametrize("joining", Joining.values)
@pytest.mark.parametrize("guests_welcome", [True, False])
def test_who_may_enter(joining: str, guests_welcome: bool) -> None:
    club = new_club(joining=joining, guests_welcome=guests_welcome)

    def answer(player: Player) -> str | None:
        return selectors.clubs.may_enter(club=club, player=player)

    welcome = guests_welcome or joining == Joining.OPEN
    assert answer(new_player()) == (None if guests_welcome else "guests_not_welcome")
    ann = new_account("ann")
    assert answer(ann) == (None if welcome else "members_only")
    membership = member(club, ann)
    assert answer(ann) is None
    for status in (Status.LEFT, Status.REMOVED):
        Membership.objects.filter(pk=membership.pk).update(status=status)
        assert answer(ann) == (None if welcome else "members_only")
    Membership.objects.filter(pk=membership.pk).update(status=Status.BANNED)
    assert answer(ann) == "banned"


@pytest.mark.parametrize(
    ("fields", "more"),
    [({}, False), ({"is_staff": True}, True), ({"is_superuser": True}, True),
     ({"is_active": False}, True)],
)  # fmt: skip
def test_who_may_do_more_than_a_member(fields: dict[str, bool], more: bool) -> None:
    ann = new_account("ann", **fields)
    member(new_club(), ann)
    assert selectors.clubs.has_more_rights(player=ann) is more


@pytest.mark.parametrize("role", [Role.OWNER, Role.DIRECTOR])
def test_directing_any_club_is_more(role: str) -> None:
    ann = new_member(new_club(), "ann", role)
    assert selectors.clubs.has_more_rights(player=ann)
    Membership.objects.filter(player=ann).update(status=Status.LEFT)
    assert not selectors.clubs.has_more_rights(player=ann)


class TestHidden:
    """A hidden club and its tournaments are in the lists of its members only."""

    def test_who_sees_it(self) -> None:
        club, public = new_club(is_hidden=True, name="B"), new_club(name="A")
        member_of, left = new_member(club), new_member(club, status=Status.LEFT)
        for player in (None, new_player(), new_account(), left):
            assert list(selectors.clubs.visible_clubs(player=player)) == [public]
            with pytest.raises(Club.DoesNotExist):
                selectors.clubs.club_to_show(slug=club.slug, player=player)
        for player in (member_of, new_account(is_superuser=True)):
            assert list(selectors.clubs.visible_clubs(player=player)) == [public, club]
            assert selectors.clubs.club_to_show(slug=club.slug, player=player) == club

    def test_its_tournaments(self) -> None:
        club = new_club(is_hidden=True)
        hidden, shown = new_tournament(club=club), new_tournament()
        assert list(selectors.open_tournaments()) == [shown]
        assert list(selectors.open_tournaments(player=new_account())) == [shown]
        assert set(selectors.open_tournaments(player=new_member(club))) == {hidden, shown}


class TestLists:
    def test_clubs_by_name_with_their_members(self) -> None:
        club = new_club(name="B")
        new_club(name="A")
        new_club(name="The site's own", slug=selectors.clubs.HOUSE_CLUB)
        new_member(club)
        new_member(club)
        ann = new_member(club, status=Status.LEFT)
        found = selectors.clubs.clubs_to_list(player=ann)
        assert [(each.name, each.members) for each in found] == [("A", 0), ("B", 2)]
        assert [each.members for each in selectors.clubs.my_clubs(player=new_member(club))] == [3]

    @pytest.mark.parametrize("search", ["соф", "СОФ", "Соф"])
    def test_clubs_are_found_in_any_alphabet(self, search: str) -> None:
        club = new_club(name="Голф София")
        new_club(name="Голф Варна")
        assert list(selectors.clubs.clubs_to_list(player=None, search=search)) == [club]

    def test_members_by_rank_and_name(self) -> None:
        club = new_club()
        for name, role in [("Zoe", "member"), ("Dora", "director"), ("Abe", "member"),
                           ("Olga", "owner")]:  # fmt: skip
            new_member(club, name, role)
        new_member(club, "Gone", status=Status.REMOVED)
        new_member(new_club(), "Stranger")
        assert [each.name for each in selectors.clubs.members_of(club=club)] == [
            "Olga", "Dora", "Abe", "Zoe",
        ]  # fmt: skip
        assert [each.name for each in selectors.clubs.former_members_of(club=club)] == ["Gone"]
        assert selectors.clubs.count_members(club=club) == 4

    @pytest.mark.parametrize("search", ["мария", "МАРИЯ", "ари", "maria"])
    def test_members_are_found_in_any_alphabet_and_by_user_name(self, search: str) -> None:
        club = new_club()
        new_member(club, "Борис")
        Player.objects.filter(pk=new_member(club, "Мария").pk).update(username="maria")
        assert [each.name for each in selectors.clubs.members_of(club=club, search=search)] == [
            "Мария"
        ]

    def test_clubs_that_expect_a_player(self) -> None:
        ann = new_account("ann")
        clubs = [new_club(name=name) for name in "ABCD"]
        for club in clubs[:3]:
            AllowedName.objects.create(club=club, username="Ann", username_key="ann")
        member(clubs[1], ann)
        member(clubs[2], ann, status=Status.BANNED)
        assert list(selectors.clubs.clubs_expecting(player=ann)) == [clubs[0]]
        guest = new_player()
        AllowedName.objects.create(
            club=clubs[3], username=guest.username, username_key=guest.username
        )
        assert list(selectors.clubs.clubs_expecting(player=guest)) == []
        assert selectors.clubs.allowed_name_of(club=clubs[3], player=guest) is None

    def test_who_on_the_list_has_joined(self) -> None:
        club = new_club()
        new_member(club, "Ann")
        new_member(club, "Bob", status=Status.LEFT)
        for name in ("ann", "bob", "cleo"):
            AllowedName.objects.create(club=club, username=name, username_key=name)
        rows = selectors.clubs.names_on_the_list_of(club=club)
        assert [(row.username, row.is_member) for row in rows] == [
            ("ann", True), ("bob", False), ("cleo", False),
        ]  # fmt: skip

    def test_the_rounds_of_a_calendar(self) -> None:
        club = new_club()
        long = new_tournament(club=club, holes=18)
        draft = new_draft(club=club)
        new_tournament()
        Round.objects.filter(tournament=new_tournament(club=club)).update(
            opens_at=long.opens_at - timedelta(days=400),
            closes_at=long.opens_at - timedelta(days=399),
        )
        rounds = selectors.clubs.rounds_to_come_and_past(club=club)
        assert [(each.tournament, each.number, each.rounds) for each in rounds] == [
            (long, 1, 2), (long, 2, 2),
        ]  # fmt: skip
        assert list(selectors.clubs.drafts_of(club=club)) == [draft]

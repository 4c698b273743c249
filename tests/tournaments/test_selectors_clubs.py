"""Who belongs to a club, and what that allows."""

from typing import Any

import pytest

from games.models import Player
from tournaments import selectors
from tournaments.models import Club, Membership

from .factories import new_account, new_club, new_member, new_player

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

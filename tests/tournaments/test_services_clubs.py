"""Founding and changing a club; who comes in, goes, and is shown the door."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from games import services as games_services
from games.models import Player
from tournaments import selectors, services
from tournaments.models import AllowedName, Club, ClubEvent, Device, JoinAttempt, Membership
from tournaments.services import members
from tournaments.services.clubs import MOST_CLUBS
from tournaments.services.errors import TournamentError

from .factories import new_account, new_club, new_member, new_player

pytestmark = pytest.mark.django_db

Role, Status, Joining, Kind = Membership.Role, Membership.Status, Club.Joining, ClubEvent.Kind


def found(by: Player | None = None, **fields: Any) -> Club:
    return services.found_club(by=by or new_account(), **{"name": "Green Hill", **fields})


def membership(club: Club, player: Player) -> Membership:
    return Membership.objects.get(club=club, player=player)


def events(club: Club) -> list[tuple[str, str | None, str | None, str]]:
    """What was done, by whom, to whom, and the note, the oldest first."""
    rows = ClubEvent.objects.filter(club=club).order_by("pk")
    return list(rows.values_list("kind", "by__name", "player__name", "note"))


def refused(act: Any, **kwargs: Any) -> str:
    """The code of what a service refuses; whatever it may have written is looked at by the test."""
    with pytest.raises(TournamentError) as caught:
        act(**kwargs)
    return caught.value.code


def complaints(act: Any, **kwargs: Any) -> dict[str, list[str | None]]:
    """The codes of what is wrong with each field."""
    with pytest.raises(ValidationError) as caught:
        act(**kwargs)
    return {
        field: [error.code for error in errors] for field, errors in caught.value.error_dict.items()
    }


class TestFounding:
    def test_the_founder_owns_it(self) -> None:
        ann = new_account("Ann")
        club = found(ann, time_zone="Europe/Sofia", joining=Joining.OPEN, guests_welcome=True)
        club.refresh_from_db()
        assert (club.slug, club.time_zone, club.joining, club.guests_welcome) == (
            "green-hill", "Europe/Sofia", "open", True,
        )  # fmt: skip
        assert (membership(club, ann).role, membership(club, ann).name) == ("owner", "Ann")
        assert selectors.clubs.may_direct(club=club, player=ann)
        assert events(club) == [("created", "Ann", None, "")]

    def test_a_taken_or_unspeakable_address_gets_letters(self) -> None:
        assert found().slug == "green-hill"
        assert found().slug.startswith("green-hill-")
        assert found(name="София").slug.startswith("club-")

    @pytest.mark.parametrize("name", ["new", "House", "Demo"])
    def test_the_sites_own_addresses_are_nobodys(self, name: str) -> None:
        assert found(name=name).slug.startswith(f"{name.casefold()}-")
        assert complaints(found, slug=name.casefold()) == {"slug": ["unique"]}

    def test_guests_found_nothing(self) -> None:
        assert refused(found, by=new_player()) == "guest"
        assert not Club.objects.exists()

    def test_one_player_owns_so_many(self) -> None:
        ann = new_account()
        for _ in range(MOST_CLUBS):
            found(ann)
        assert refused(found, by=ann) == "too_many_clubs"
        found()

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({"time_zone": "Mars/Olympus"}, {"time_zone": ["bad_time_zone"]}),
            ({"time_zone": "../etc/passwd"}, {"time_zone": ["bad_time_zone"]}),
            ({"name": "x" * 500}, {"name": ["max_length"]}),
            ({"name": "Green \u202eHill"}, {"name": ["characters"]}),
            ({"about": "\u202etext"}, {"about": ["characters"]}),
            ({"about": "x" * 2001}, {"about": ["max_length"]}),
            ({"rules": "Q"}, {"rules": ["bad_rules"]}),
            ({"joining": "password"}, {"password": ["password_missing"]}),
            ({"joining": "password", "password": "short"}, {"password": ["password_short"]}),
            ({"slug": "no spaces"}, {"slug": ["invalid"]}),
        ],
    )  # fmt: skip
    def test_what_is_wrong_is_said_and_nothing_founded(
        self, fields: dict[str, str], expected: dict[str, list[str]]
    ) -> None:
        assert complaints(found, **fields) == expected
        assert not Club.objects.exists()


class TestChanging:
    def test_a_director_changes_settings_and_the_log_names_them(self) -> None:
        club = new_club(time_zone="UTC")
        dora = new_member(club, "Dora", Role.DIRECTOR)
        services.update_club(club=club, by=dora, time_zone="Asia/Tokyo", name=club.name)
        club.refresh_from_db()
        assert club.time_zone == "Asia/Tokyo"
        assert events(club) == [("changed", "Dora", None, "time_zone")]

    def test_nothing_changed_is_no_event(self) -> None:
        club = new_club()
        services.update_club(club=club, by=new_member(club, role=Role.OWNER), name=club.name)
        assert events(club) == []

    @pytest.mark.parametrize(
        "theirs",
        [{"is_hidden": True}, {"rules": "C"}, {"joining": "password", "password": "open sesame"}],
    )
    def test_an_older_form_undoes_nothing(self, theirs: dict[str, Any]) -> None:
        club = new_club(joining="link")
        owner = new_member(club, role=Role.OWNER)
        mine = {"about": "Mine", "is_hidden": False, "rules": club.rules, "joining": "link"}
        before = services.seen_of_club(club=club)
        now = services.update_club(club=club, by=owner, seen=before, **theirs)
        stored = Club.objects.filter(pk=club.pk).values()
        kept = stored.get()
        assert complaints(services.update_club, club=club, by=owner, seen=before, **mine) == {
            "__all__": ["changed"]
        }
        assert stored.get() == kept
        again = services.seen_of_club(club=now)
        services.update_club(club=club, by=owner, seen=again, **mine)
        assert stored.get().items() >= mine.items()

    def test_another_password_is_a_change_too(self) -> None:
        club = new_club()
        owner = new_member(club, role=Role.OWNER)
        fields: dict[str, Any] = {"club": club, "by": owner, "joining": "password"}
        first = services.update_club(**fields, password="open sesame")
        before = services.seen_of_club(club=first)
        assert first.join_password not in before
        services.update_club(**fields, password="close sesame", seen=before)
        assert complaints(services.update_club, **fields, password="my own one", seen=before) == {
            "__all__": ["changed"]
        }
        services.update_club(**fields, seen=before)  # which changes nothing

    def test_members_and_strangers_change_nothing(self) -> None:
        club = new_club(name="Old")
        for player in (new_member(club), new_account(), new_player()):
            assert refused(services.update_club, club=club, by=player, name="New") == "not_allowed"
        club.refresh_from_db()
        assert club.name == "Old"

    def test_bad_settings_change_nothing(self) -> None:
        club = new_club(name="Old")
        owner = new_member(club, role=Role.OWNER)
        assert complaints(
            services.update_club, club=club, by=owner, name="New", time_zone="Mars/Olympus"
        ) == {"time_zone": ["bad_time_zone"]}
        club.refresh_from_db()
        assert (club.name, club.time_zone) == ("Old", "UTC")

    def test_the_password_is_kept_as_a_hash_and_forgotten_when_it_is_none(self) -> None:
        club = new_club()
        owner = new_member(club, "Olga", role=Role.OWNER)
        services.update_club(club=club, by=owner, joining="password", password="open sesame")
        club.refresh_from_db()
        assert "sesame" not in club.join_password
        kept = club.join_password
        services.update_club(club=club, by=owner, joining="password", about="More")
        club.refresh_from_db()
        assert club.join_password == kept
        services.update_club(club=club, by=owner, joining="link")
        club.refresh_from_db()
        assert club.join_password == ""
        assert [note for *_, note in events(club)] == [
            "joining password", "about", "joining password",
        ]  # fmt: skip

    def test_a_renewed_invitation_kills_the_old_one(self) -> None:
        club = new_club(joining=Joining.LINK)
        old = club.invitation
        dora = new_member(club, "Dora", Role.DIRECTOR)
        renewed = services.renew_invitation(club=club, by=dora)
        ann = new_account()
        assert refused(services.join_club, club=renewed, player=ann, invitation=old) == "invitation"
        services.join_club(club=renewed, player=ann, invitation=renewed.invitation)
        assert events(club)[0] == ("invitation", "Dora", None, "")
        assert refused(services.renew_invitation, club=club, by=ann) == "not_allowed"


class TestTablets:
    def test_a_director_marks_a_browser_and_takes_the_mark_back(self) -> None:
        club = new_club()
        dora = new_member(club, "Dora", Role.DIRECTOR)
        device = services.new_device()
        for _ in range(2):
            services.mark_tablet(device=device, club=club, by=dora, label="Bar")
        assert list(club.tablets.all()) == [device]
        for _ in range(2):
            services.unmark_tablet(device=device, club=club, by=dora)
        assert Device.objects.get().tablet_of is None
        assert events(club) == [
            ("tablet", "Dora", None, "marked Bar"),
            ("tablet", "Dora", None, "unmarked Bar"),
        ]

    def test_only_by_directors_and_not_from_another_club(self) -> None:
        club, other = new_club(), new_club()
        dora, member = new_member(club, role=Role.DIRECTOR), new_member(club)
        device = services.mark_tablet(device=services.new_device(), club=club, by=dora, label="A")
        assert (
            refused(services.mark_tablet, device=device, club=club, by=member, label="B")
            == "not_allowed"
        )
        assert refused(services.unmark_tablet, device=device, club=club, by=member) == "not_allowed"
        boss = new_member(other, role=Role.OWNER)
        assert (
            refused(services.mark_tablet, device=device, club=other, by=boss, label="B")
            == "other_tablet"
        )
        services.unmark_tablet(device=device, club=other, by=boss)
        device.refresh_from_db()
        assert (device.tablet_of, device.label) == (club, "A")


class TestJoining:
    def test_an_open_club(self) -> None:
        club, ann = new_club(joining=Joining.OPEN), new_account("Ann")
        for _ in range(2):
            joined = services.join_club(club=club, player=ann)
        assert (joined.role, joined.status, joined.name) == ("member", "active", "Ann")
        assert events(club) == [("joined", "Ann", "Ann", "Ann")]

    def test_guests_make_an_account_first(self) -> None:
        club = new_club(joining=Joining.OPEN)
        assert refused(services.join_club, club=club, player=new_player()) == "guest"

    @pytest.mark.parametrize("invitation", ["", "abcdefghjkmnpqrs"])
    def test_a_link_is_needed_where_it_is(self, invitation: str) -> None:
        club, ann = new_club(joining=Joining.LINK), new_account()
        assert (
            refused(services.join_club, club=club, player=ann, invitation=invitation)
            == "invitation"
        )
        assert not Membership.objects.exists()
        services.join_club(club=club, player=ann, invitation=club.invitation)

    @pytest.mark.parametrize("joining", [Joining.PASSWORD, Joining.LIST])
    def test_the_link_opens_no_other_door(self, joining: str) -> None:
        club = new_club(joining=joining)
        code = refused(
            services.join_club, club=club, player=new_account(), invitation=club.invitation
        )
        assert code == ("password" if joining == Joining.PASSWORD else "not_listed")

    @pytest.mark.parametrize("joining", Joining.values)
    def test_who_is_on_the_list_needs_nothing_else(self, joining: str) -> None:
        club = new_club(joining=joining)
        owner = new_member(club, role=Role.OWNER)
        ann = new_account("Ann")
        services.allow_name(club=club, by=owner, username="ANN", name="Ann of the Hill")
        assert services.join_club(club=club, player=ann).name == "Ann of the Hill"

    def test_a_role_is_given_once_and_only_to_who_was_there_before_the_list(self) -> None:
        club = new_club(joining=Joining.LIST)
        owner, ann = new_member(club, role=Role.OWNER), new_account("Ann")
        services.allow_name(club=club, by=owner, username="Ann", role="director")
        assert services.join_club(club=club, player=ann).role == "director"
        services.leave_club(club=club, player=ann)
        assert services.join_club(club=club, player=ann).role == "member"
        services.leave_club(club=club, player=ann)
        AllowedName.objects.update(role="director", added_at=ann.date_joined - timedelta(days=1))
        assert services.join_club(club=club, player=ann).role == "member"

    def test_names_that_look_alike_are_taken(self) -> None:
        club = new_club(joining=Joining.OPEN)
        new_member(club, "Aino")
        impostor = new_account()
        assert complaints(services.join_club, club=club, player=impostor, name="\u0410INO") == {
            "name": ["mixed_scripts"]
        }
        assert complaints(services.join_club, club=club, player=impostor, name="aino") == {
            "name": ["name_taken"]
        }
        assert Membership.objects.filter(player=impostor).count() == 0
        services.join_club(club=new_club(joining=Joining.OPEN), player=impostor, name="aino")

    def test_the_name_of_who_left_is_free(self) -> None:
        club = new_club(joining=Joining.OPEN)
        services.leave_club(club=club, player=new_member(club, "Aino"))
        services.join_club(club=club, player=new_account(), name="Aino")


class TestPassword:
    @pytest.fixture
    def club(self) -> Club:
        return found(joining="password", password="open sesame")

    def test_it_opens_the_door_once_for_all(self, club: Club) -> None:
        ann = new_account()
        services.join_club(club=club, player=ann, password="open sesame")
        assert services.join_club(club=club, player=ann).is_active
        assert not JoinAttempt.objects.exists()

    def test_a_wrong_one_does_not(self, club: Club) -> None:
        ann = new_account()
        for wrong in ("", "Open Sesame"):
            assert refused(services.join_club, club=club, player=ann, password=wrong) == "password"

    def test_of_two_tabs_with_the_right_one_both_are_told_of_the_membership(
        self, club: Club, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        right = {"club": club, "player": new_account(), "password": "open sesame"}
        get_or_create = JoinAttempt.objects.get_or_create

        def be_slow(**fields: Any) -> tuple[JoinAttempt, bool]:
            attempt = get_or_create(**fields)
            monkeypatch.undo()
            services.join_club(**right)  # in the other tab
            return attempt

        monkeypatch.setattr(JoinAttempt.objects, "get_or_create", be_slow)
        assert services.join_club(**right) == Membership.objects.get(player=right["player"])

    def test_after_five_wrong_ones_the_right_one_waits_too(self, club: Club) -> None:
        ann, bob = new_account(), new_account()
        for _ in range(members.TRIES):
            assert (
                refused(services.join_club, club=club, player=ann, password="guess") == "password"
            )
        right = {"club": club, "player": ann, "password": "open sesame"}
        assert refused(services.join_club, **right) == "too_many_tries"
        services.join_club(club=club, player=bob, password="open sesame")
        JoinAttempt.objects.update(
            since=timezone.now() - timedelta(seconds=members.TRIES_SECONDS + 1)
        )
        services.join_club(**right)

    def test_a_password_that_was_changed_meanwhile(self, club: Club) -> None:
        owner = club.memberships.get().player
        services.update_club(club=club, by=owner, joining="password", password="another one")
        ann = new_account()
        assert (
            refused(services.join_club, club=club, player=ann, password="open sesame")
            == "not_allowed"
        )


class TestLeaving:
    def test_a_member_leaves_and_comes_back(self) -> None:
        club = new_club(joining=Joining.OPEN)
        ann = new_member(club, "Ann", Role.DIRECTOR)
        new_member(club, role=Role.OWNER)
        for _ in range(2):
            services.leave_club(club=club, player=ann)
        assert (membership(club, ann).status, membership(club, ann).role) == ("left", "member")
        assert services.join_club(club=club, player=ann).role == "member"
        assert events(club) == [
            ("left", "Ann", "Ann", "director"),
            ("joined", "Ann", "Ann", "Ann"),
        ]

    def test_the_last_owner_stays(self) -> None:
        club = new_club()
        ann = new_member(club, role=Role.OWNER)
        shut = new_member(club, role=Role.OWNER)
        Player.objects.filter(pk=shut.pk).update(is_active=False)
        assert refused(services.leave_club, club=club, player=ann) == "last_owner"
        assert membership(club, ann).is_active
        new_member(club, role=Role.OWNER)
        services.leave_club(club=club, player=ann)


class TestNames:
    def test_ones_own(self) -> None:
        club = new_club()
        ann = new_member(club, "Ann")
        services.rename_member(membership=membership(club, ann), name=" Anna ", by=ann)
        assert membership(club, ann).name == "Anna"
        assert events(club) == [("renamed", "Ann", "Ann", "Ann → Anna")]

    @pytest.mark.parametrize(
        ("name", "code"),
        [("BORIS", "name_taken"), ("x" * 31, "max_length"), ("A\u202eb", "characters"),
         ("", "empty")],
    )  # fmt: skip
    def test_a_bad_one_changes_nothing(self, name: str, code: str) -> None:
        club = new_club()
        new_member(club, "Boris")
        ann = new_member(club, "Ann")
        assert complaints(
            services.rename_member, membership=membership(club, ann), name=name, by=ann
        ) == {"name": [code]}
        assert membership(club, ann).name == "Ann"

    def test_who_has_left_has_none(self) -> None:
        club = new_club()
        ann = new_member(club, status=Status.LEFT)
        assert (
            refused(services.rename_member, membership=membership(club, ann), name="A", by=ann)
            == "not_a_member"
        )


ACTS = {
    "remove": services.remove_member,
    "ban": services.ban_member,
    "rename": lambda **kwargs: services.rename_member(name="Renamed", **kwargs),
    "promote": lambda **kwargs: services.set_role(role=Role.DIRECTOR, **kwargs),
    "demote": lambda **kwargs: services.set_role(role=Role.MEMBER, **kwargs),
}
#: Who may do what to whom.
ALLOWED = {
    (Role.OWNER, "remove"): {Role.OWNER, Role.DIRECTOR, Role.MEMBER},
    (Role.OWNER, "ban"): {Role.OWNER, Role.DIRECTOR, Role.MEMBER},
    (Role.OWNER, "rename"): {Role.OWNER, Role.DIRECTOR, Role.MEMBER},
    (Role.OWNER, "promote"): {Role.OWNER, Role.DIRECTOR, Role.MEMBER},
    (Role.OWNER, "demote"): {Role.OWNER, Role.DIRECTOR, Role.MEMBER},
    (Role.DIRECTOR, "remove"): {Role.MEMBER},
    (Role.DIRECTOR, "ban"): {Role.MEMBER},
    (Role.DIRECTOR, "rename"): {Role.MEMBER},
}


class TestRoles:
    @pytest.mark.parametrize("act", ACTS)
    @pytest.mark.parametrize("whose", Role.values)
    @pytest.mark.parametrize("by", [*Role.values, "stranger", "former", "superuser"])
    def test_who_may_do_what_to_whom(self, by: str, whose: str, act: str) -> None:
        club = new_club()
        new_member(club, role=Role.OWNER)
        target = new_member(club, role=whose)
        if by in Role.values:
            actor = new_member(club, role=by)
        elif by == "former":
            actor = new_member(club, role=Role.OWNER, status=Status.REMOVED)
        else:
            actor = new_account(is_superuser=by == "superuser")
        allowed = by == "superuser" or whose in ALLOWED.get((by, act), set())
        before = Membership.objects.filter(player=target).values().get()
        if allowed:
            ACTS[act](membership=membership(club, target), by=actor)
        else:
            code = refused(ACTS[act], membership=membership(club, target), by=actor)
            assert code == "not_allowed"
            assert Membership.objects.filter(player=target).values().get() == before
            assert events(club) == []

    def test_the_last_owner_is_not_demoted_removed_or_banned(self) -> None:
        club, root = new_club(), new_account(is_superuser=True)
        ann = new_member(club, role=Role.OWNER)
        new_member(club, role=Role.DIRECTOR)
        for by in (ann, root):
            for act in ("promote", "demote", "remove", "ban"):
                assert refused(ACTS[act], membership=membership(club, ann), by=by) == "last_owner"
        assert (membership(club, ann).role, membership(club, ann).status) == ("owner", "active")

    def test_an_owner_hands_the_club_over(self) -> None:
        club = new_club()
        ann, bob = new_member(club, "Ann", Role.OWNER), new_member(club, "Bob")
        services.set_role(membership=membership(club, bob), role=Role.OWNER, by=ann)
        services.leave_club(club=club, player=ann)
        assert events(club) == [
            ("role", "Ann", "Bob", "owner"),
            ("left", "Ann", "Ann", "owner"),
        ]

    def test_only_members_have_roles(self) -> None:
        club = new_club()
        ann = new_member(club, role=Role.OWNER)
        gone = membership(club, new_member(club, status=Status.LEFT))
        assert (
            refused(services.set_role, membership=gone, role=Role.DIRECTOR, by=ann)
            == "not_a_member"
        )


class TestRemovingAndBanning:
    def test_who_is_removed_may_come_back_by_an_open_door_but_the_list_is_none(self) -> None:
        club = new_club(joining=Joining.LIST)
        ann = new_account("Ann")
        owner = new_member(club, "Olga", role=Role.OWNER)
        services.allow_name(club=club, by=owner, username="Ann")
        services.join_club(club=club, player=ann)
        for _ in range(2):
            services.remove_member(membership=membership(club, ann), by=owner)
        assert refused(services.join_club, club=club, player=ann) == "not_listed"
        services.update_club(club=club, by=owner, joining=Joining.OPEN)
        club.refresh_from_db()
        services.join_club(club=club, player=ann)
        assert [kind for kind, *_ in events(club)] == [
            "listed", "joined", "removed", "changed", "joined",
        ]  # fmt: skip

    @pytest.mark.parametrize("joining", Joining.values)
    def test_who_is_banned_comes_in_by_no_door(self, joining: str) -> None:
        club = new_club(joining=joining)
        owner, ann = new_member(club, role=Role.OWNER), new_member(club, "Ann")
        services.ban_member(membership=membership(club, ann), by=owner)
        AllowedName.objects.create(club=club, username="Ann", username_key="ann")
        assert (
            refused(services.join_club, club=club, player=ann, invitation=club.invitation)
            == "banned"
        )
        assert selectors.clubs.may_enter(club=club, player=ann) == "banned"

    def test_a_removal_and_a_ban_are_taken_back_as_an_ordinary_member(self) -> None:
        club = new_club()
        owner = new_member(club, "Olga", role=Role.OWNER)
        for act in (services.remove_member, services.ban_member):
            ann = new_member(club, role=Role.DIRECTOR)
            act(membership=membership(club, ann), by=owner)
            for _ in range(2):
                back = services.restore_member(membership=membership(club, ann), by=owner)
            assert (back.status, back.role) == ("active", "member")
        assert [kind for kind, *_ in events(club)] == [
            "removed", "restored", "banned", "restored",
        ]  # fmt: skip

    def test_who_had_left_before_the_ban_is_not_made_a_member(self) -> None:
        club = new_club(joining=Joining.OPEN)
        owner, ann = new_member(club, role=Role.OWNER), new_account()
        services.join_club(club=club, player=ann)
        services.leave_club(club=club, player=ann)
        services.ban_member(membership=membership(club, ann), by=owner)
        back = services.restore_member(membership=membership(club, ann), by=owner)
        assert back.status == "left"
        assert services.join_club(club=club, player=ann).is_active

    def test_who_comes_back_to_a_taken_name_gets_a_number(self) -> None:
        club = new_club()
        owner, ann = new_member(club, role=Role.OWNER), new_member(club, "W" * 30)
        services.remove_member(membership=membership(club, ann), by=owner)
        services.join_club(club=club, player=new_account(), name="w" * 30)
        back = services.restore_member(membership=membership(club, ann), by=owner)
        assert back.name == "W" * 26 + " (2)"

    def test_only_directors_bring_back(self) -> None:
        club = new_club()
        gone = membership(club, new_member(club, status=Status.BANNED))
        for by in (gone.player, new_member(club)):
            assert refused(services.restore_member, membership=gone, by=by) == "not_allowed"
        back = services.restore_member(membership=gone, by=new_member(club, role=Role.DIRECTOR))
        assert back.is_active


class TestPasswordLinks:
    """A director helps ordinary members, and gains nothing by it."""

    def link(self, club: Club, player: Player, by: Player) -> Any:
        return services.issue_password_link(membership=membership(club, player), by=by)

    def opens(self, player: Player, link: Any) -> bool:
        """Whether the link sets a password now."""
        token = link.path.rstrip("/").rpartition("/")[2]
        return games_services.link_tokens.check_token(Player.objects.get(pk=player.pk), token)

    @pytest.mark.parametrize("role", [Role.OWNER, Role.DIRECTOR])
    def test_for_an_ordinary_member(self, role: str) -> None:
        club, other = new_club(), new_club()
        dora, ann = new_member(club, "Dora", role), new_member(club, "Ann")
        services.join_club(club=other, player=ann)
        assert self.opens(ann, self.link(club, ann, dora))
        assert events(club) == [("password_link", "Dora", "Ann", "")]

    def test_not_by_members_strangers_and_former_directors(self) -> None:
        club = new_club()
        ann = new_member(club)
        former = new_member(club, role=Role.DIRECTOR, status=Status.REMOVED)
        elsewhere = new_member(new_club(), role=Role.OWNER)
        for by in (ann, new_member(club), new_account(), former, elsewhere):
            assert (
                refused(services.issue_password_link, membership=membership(club, ann), by=by)
                == "not_allowed"
            )
        assert events(club) == []

    @pytest.mark.parametrize("status", [Status.LEFT, Status.REMOVED, Status.BANNED])
    def test_not_for_who_does_not_belong_to_the_club(self, status: str) -> None:
        club = new_club()
        gone = membership(club, new_member(club, status=status))
        owner = new_member(club, role=Role.OWNER)
        assert refused(services.issue_password_link, membership=gone, by=owner) == "not_a_member"

    @pytest.mark.parametrize("field", ["is_staff", "is_superuser"])
    def test_not_for_the_sites_staff(self, field: str) -> None:
        club = new_club(joining=Joining.OPEN)
        staff = new_account(**{field: True})
        services.join_club(club=club, player=staff)
        owner = new_member(club, role=Role.OWNER)
        code = refused(services.issue_password_link, membership=membership(club, staff), by=owner)
        assert (code, events(club)[1:]) == ("more_rights", [])

    @pytest.mark.parametrize("role", [Role.OWNER, Role.DIRECTOR])
    @pytest.mark.parametrize("here", [True, False])
    def test_not_for_who_directs_this_club_or_another(self, role: str, here: bool) -> None:
        club, other = new_club(joining=Joining.OPEN), new_club()
        owner = new_member(club, role=Role.OWNER)
        target = new_member(club if here else other, role=role)
        services.join_club(club=club, player=target)
        code = refused(services.issue_password_link, membership=membership(club, target), by=owner)
        assert code == "more_rights"

    def test_a_link_ends_when_its_player_comes_to_direct_a_club(self) -> None:
        club, other = new_club(joining=Joining.OPEN), new_club(joining=Joining.LIST)
        owner = new_member(club, role=Role.OWNER)
        boss = new_member(other, role=Role.OWNER)

        def becomes_director(player: Player) -> None:
            services.set_role(membership=membership(other, player), role=Role.DIRECTOR, by=boss)

        def joins_as_director(player: Player) -> None:
            name = player.username
            services.allow_name(club=other, by=boss, username=name, role=Role.DIRECTOR)
            services.join_club(club=other, player=player)

        for act in (found, becomes_director, joins_as_director):
            ann = new_account()
            services.join_club(club=club, player=ann)
            if act is becomes_director:
                services.allow_name(club=other, by=boss, username=ann.username)
                services.join_club(club=other, player=ann)
            link = self.link(club, ann, owner)
            assert self.opens(ann, link)
            act(ann)
            assert not self.opens(ann, link)

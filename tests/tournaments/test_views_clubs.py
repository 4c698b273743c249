"""The pages of clubs, as a visitor, a guest, a member and a director see them."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from tournaments import selectors, services
from tournaments.models import AllowedName, Club, ClubEvent, Membership
from tournaments.services import members

from .factories import (
    let_time_pass,
    new_account,
    new_club,
    new_member,
    new_player,
    new_tournament,
)

pytestmark = pytest.mark.django_db

Role, Status, Joining = Membership.Role, Membership.Status, Club.Joining
FOUNDING = {"name": "Green Hill", "time_zone": "Europe/Sofia", "joining": "link"}


def as_(player: Player) -> Client:
    client = Client()
    client.force_login(player)
    return client


def text(response: Any, status: int = 200) -> str:
    """The words of a page's main part, without its tags."""
    assert response.status_code == status
    body = response.content.decode().split('<main id="main"')[1].split("</main>")[0]
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", body).split()))


def said(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


def errors(response: Any) -> dict[str, list[str]]:
    return dict(response.context["form"].errors)


def page_of(name: str, club: Club, *args: Any) -> str:
    return reverse(name, args=[club.slug, *args])


#: Every page that only directors see.
DIRECTORS_PAGES = (
    "club_settings", "club_invitation", "club_invitation_code", "club_list", "club_import",
    "club_events", "club_tablets",
)  # fmt: skip
#: Every address that only takes a form, and only a director's.
DIRECTORS_ACTS = (
    "club_member_rename", "club_member_role", "club_member_remove", "club_member_ban",
    "club_member_restore", "club_member_password",
)  # fmt: skip


class TestList:
    def test_clubs_with_what_a_visitor_asks_first(self, client: Client) -> None:
        new_member(new_club(name="Green Hill", about="On Thursdays", guests_welcome=True))
        new_club(name="Secret", is_hidden=True)
        page = text(client.get(reverse("clubs")))
        assert "Green Hill On Thursdays 1 member open to all guests welcome" in page
        assert "Secret" not in page
        assert "Your clubs" not in page

    def test_ones_own_and_those_that_expect_one_come_first(self) -> None:
        mine, other = new_club(name="Mine", is_hidden=True), new_club(name="Other")
        ann = new_member(mine, "Ann")
        AllowedName.objects.create(club=other, username="Ann", username_key="ann")
        page = text(as_(ann).get(reverse("clubs")))
        order = [page.index(each) for each in ("You are expected", "Your clubs", "All clubs")]
        assert order == sorted(order)

    def test_search_and_pages_go_together(self, client: Client) -> None:
        for number in range(31):
            new_club(name=f"Green {number:02}")
        new_club(name="Red")
        page = client.get(reverse("clubs"), {"q": "gREEN"})
        assert 'href="?q=gREEN&amp;page=2"' in page.content.decode()
        assert "Red" not in text(page)
        assert "Green 30" in text(client.get(reverse("clubs"), {"q": "green", "page": "2"}))
        assert "No club has “blue” in its name." in text(
            client.get(reverse("clubs"), {"q": "blue"})
        )

    def test_an_empty_list_says_what_to_do(self, client: Client) -> None:
        assert "No clubs yet" in text(client.get(reverse("clubs")))

    @pytest.mark.parametrize("rows", [1, 3])
    def test_the_same_queries_however_long(self, rows: int, django_assert_num_queries: Any) -> None:
        ann = new_account("Ann")
        for _ in range(rows):
            new_member(new_club())
            services.join_club(club=new_club(joining=Joining.OPEN), player=ann)
            AllowedName.objects.create(club=new_club(), username="Ann", username_key="ann")
        client = as_(ann)
        with django_assert_num_queries(6):
            client.get(reverse("clubs"))


class TestFounding:
    def test_a_secretary_founds_a_club_and_lands_on_its_next_steps(self) -> None:
        ann = new_account("Ann")
        client = as_(ann)
        assert "Found a club" in text(client.get(reverse("club_new")))
        response = client.post(reverse("club_new"), FOUNDING, follow=True)
        club = Club.objects.get()
        assert response.redirect_chain == [(page_of("club", club), 302)]
        assert (club.name, club.time_zone, club.joining, club.guests_welcome) == (
            "Green Hill", "Europe/Sofia", "link", False,
        )  # fmt: skip
        page = text(response)
        assert "Next steps" in page
        assert "Invitation link" in page
        assert Membership.objects.get().role == Role.OWNER

    @pytest.mark.parametrize(
        ("fields", "field", "message"),
        [
            ({"time_zone": "Mars/Olympus"}, "time_zone", "There is no such time zone"),
            ({"name": "x" * 500}, "name", "Ensure this value has at most 60 characters"),
            ({"name": ""}, "name", "This field is required."),
            ({"name": "Green \u202eHill"}, "name", "Please leave out control characters"),
            ({"about": "\u202ereversed"}, "about", "Please leave out control characters"),
            ({"joining": "password"}, "password", "Choose the password"),
            ({"joining": "nobody"}, "joining", "Select a valid choice."),
            ({"slug": "new"}, "slug", "This address is taken."),
        ],
    )  # fmt: skip
    def test_what_is_wrong_is_said_at_the_field_and_at_the_top(
        self, fields: dict[str, str], field: str, message: str
    ) -> None:
        response = as_(new_account()).post(reverse("club_new"), {**FOUNDING, **fields})
        assert list(errors(response)) == [field]
        assert errors(response)[field][0].startswith(message)
        page = response.content.decode()
        assert 'class="notice error" role="alert"' in page
        assert f'id="id_{field}_error"' in page or field == "joining"
        if "name" not in fields:
            assert 'value="Green Hill"' in page
        assert not Club.objects.exists()

    def test_visitors_log_in_first_and_guests_make_an_account(self, client: Client) -> None:
        url = reverse("club_new")
        assert client.get(url).headers["Location"] == f"{reverse('login')}?next={url}"
        to = as_(new_player()).get(url).headers["Location"]
        assert to.endswith(f"?next={url.replace('/', '%2F')}")
        assert as_(new_player()).post(url, FOUNDING).status_code == 302
        assert not Club.objects.exists()


class TestClubPage:
    def test_a_visitor_reads_what_it_is_and_what_is_played(self, client: Client) -> None:
        club = new_club(
            name="Green Hill", about="On Thursdays.\n\nIn the bar.", time_zone="Europe/Sofia",
            joining=Joining.LINK,
        )  # fmt: skip
        new_tournament(club=club, name="Spring Nine")
        new_tournament(club=club, name="May Nine", opens_at=timezone.now() + timedelta(minutes=5))
        let_time_pass(new_tournament(club=club, name="Winter Nine"))
        new_tournament(name="Of another club")
        page = text(client.get(page_of("club", club)))
        order = [
            page.index(each)
            for each in ("Members come in by an invitation link", "Open now", "Spring Nine",
                         "To come", "May Nine", "Over Winter Nine", "On Thursdays.")
        ]  # fmt: skip
        assert order == sorted(order)
        assert "Europe/Sofia" in page
        for missing in ("Of another club", "Settings", "Leave the club", "Next steps"):
            assert missing not in page

    @pytest.mark.parametrize(
        ("joining", "door"),
        [
            (Joining.OPEN, "Whoever has an account may become a member."),
            (Joining.LINK, "Members come in by an invitation link."),
            (Joining.PASSWORD, "The club's password lets you in."),
            (Joining.LIST, "Who is on the club's list can become a member."),
        ],
    )
    def test_the_door_that_there_is(self, client: Client, joining: str, door: str) -> None:
        club = new_club(joining=joining)
        assert door in text(client.get(page_of("club", club)))
        banned = new_member(club, status=Status.BANNED)
        page = text(as_(banned).get(page_of("club", club)))
        assert "You are banned from this club." in page
        assert door not in page

    def test_a_member_sees_his_name_and_the_way_out(self) -> None:
        club = new_club()
        page = text(as_(new_member(club, "Ann")).get(page_of("club", club)))
        assert "Your name in the club: Ann" in page
        assert "Leave the club" in page
        assert "Settings" not in page

    def test_a_director_sees_drafts_and_the_other_pages(self) -> None:
        club = new_club()
        tournament = new_tournament(club=club, name="Secret plan")
        type(tournament).objects.update(status="draft")
        page = text(as_(new_member(club, role=Role.DIRECTOR)).get(page_of("club", club)))
        assert "Secret plan" in page
        for link in ("Invitation", "List", "Settings", "Tablets", "Log"):
            assert link in page
        for player in (new_member(club), new_account()):
            assert "Secret plan" not in text(as_(player).get(page_of("club", club)))

    def test_the_steps_end_when_they_are_taken(self) -> None:
        club = new_club()
        director = as_(new_member(club, role=Role.OWNER))
        page = text(director.get(page_of("club", club)))
        for step in ("Next steps", "Invite your members.", "Set up the first tournament."):
            assert step in page
        new_tournament(club=club)
        assert "Set up another tournament." in text(director.get(page_of("club", club)))
        new_member(club)
        page = text(director.get(page_of("club", club)))
        assert "Next steps" not in page
        assert "New tournament" in page

    def test_markup_of_members_is_text(self, client: Client) -> None:
        club = new_club(name="<b>x</b>", about="<script>alert(1)</script>")
        page = client.get(page_of("club", club)).content.decode()
        assert "<b>x</b>" not in page
        assert "<script>alert(1)" not in page

    def test_the_sites_own_club_has_no_page(self, client: Client) -> None:
        response = client.get(reverse("club", args=[services.HOUSE_CLUB]))
        assert (response.status_code, response.headers["Location"]) == (302, reverse("tournaments"))

    @pytest.mark.parametrize("rows", [1, 3])
    def test_the_same_queries_however_many_tournaments(
        self, rows: int, django_assert_num_queries: Any
    ) -> None:
        club = new_club()
        client = as_(new_member(club, role=Role.DIRECTOR))
        for _ in range(rows):
            new_tournament(club=club)
            new_tournament(club=club, opens_at=timezone.now() + timedelta(minutes=5))
            let_time_pass(new_tournament(club=club))
        with django_assert_num_queries(10):
            client.get(page_of("club", club))


class TestPermission:
    @pytest.mark.parametrize("name", DIRECTORS_PAGES)
    def test_pages_of_directors(self, client: Client, name: str) -> None:
        club = new_club()
        url = page_of(name, club)
        assert client.get(url).headers["Location"] == f"{reverse('login')}?next={url}"
        former = new_member(club, role=Role.DIRECTOR, status=Status.REMOVED)
        elsewhere = new_member(new_club(), role=Role.OWNER)
        for player in (new_player(), new_account(), new_member(club), former, elsewhere):
            for method in (as_(player).get, as_(player).post):
                response = method(url)
                assert response.status_code in (403, 405)
            assert "This is not open to you" in text(as_(player).get(url), 403)
        for player in (
            new_member(club, role=Role.DIRECTOR), new_member(club, role=Role.OWNER),
            new_account(is_superuser=True),
        ):  # fmt: skip
            assert as_(player).get(url).status_code == 200

    @pytest.mark.parametrize("name", DIRECTORS_ACTS)
    def test_acts_of_directors(self, name: str) -> None:
        club = new_club()
        target = Membership.objects.get(player=new_member(club, "Bob", status=Status.ACTIVE))
        before = Membership.objects.values().get()
        url = page_of(name, club, target.pk)
        for player in (new_player(), new_account(), target.player):
            response = as_(player).post(url, {"name": "Eve", "role": "owner"})
            assert response.status_code == 403
        assert as_(new_member(club, role=Role.OWNER)).get(url).status_code == 405
        assert Membership.objects.values().get(pk=target.pk) == before
        assert not ClubEvent.objects.exists()

    @pytest.mark.parametrize("name", ["club_member_role", "club_member_remove", "club_member_ban",
                                      "club_member_rename"])  # fmt: skip
    def test_a_director_does_nothing_to_an_owner(self, name: str) -> None:
        club = new_club()
        owner = Membership.objects.get(player=new_member(club, role=Role.OWNER))
        new_member(club, role=Role.OWNER)
        dora = new_member(club, role=Role.DIRECTOR)
        before = Membership.objects.values().get(pk=owner.pk)
        response = as_(dora).post(page_of(name, club, owner.pk), {"name": "Eve", "role": "member"})
        assert response.status_code == 403
        assert Membership.objects.values().get(pk=owner.pk) == before

    @pytest.mark.parametrize(
        "name", ["club", "club_members", "club_join", "club_calendar", *DIRECTORS_PAGES]
    )
    def test_a_hidden_club_is_not_there_for_others(self, name: str) -> None:
        club = new_club(is_hidden=True)
        for player in (new_account(), new_member(club, status=Status.BANNED)):
            assert as_(player).get(page_of(name, club)).status_code == 404

    @pytest.mark.parametrize("name", ["club_member", *DIRECTORS_ACTS])
    def test_members_of_another_club_are_not_there(self, name: str) -> None:
        club = new_club()
        stranger = Membership.objects.get(player=new_member(new_club()))
        owner = as_(new_member(club, role=Role.OWNER))
        url = page_of(name, club, stranger.pk)
        response = owner.get(url) if name == "club_member" else owner.post(url)
        assert response.status_code == 404


class TestJoining:
    def test_with_one_click_under_ones_own_name(self) -> None:
        club, ann = new_club(name="Green Hill", joining=Joining.OPEN), new_account("Ann")
        client = as_(ann)
        assert 'value="Ann"' in client.get(page_of("club_join", club)).content.decode()
        response = client.post(page_of("club_join", club), {"name": "Ann"}, follow=True)
        assert said(response) == ["Welcome to Green Hill!"]
        assert Membership.objects.get().player == ann
        again = client.get(page_of("club_join", club))
        assert again.headers["Location"] == page_of("club", club)

    def test_a_taken_name_is_said_and_what_was_typed_stays(self) -> None:
        club = new_club(joining=Joining.OPEN)
        new_member(club, "Aino")
        response = as_(new_account()).post(page_of("club_join", club), {"name": "AINO"})
        assert list(errors(response)) == ["name"]
        assert 'value="AINO"' in response.content.decode()

    def test_the_invitation_link_shows_also_a_hidden_club(self, client: Client) -> None:
        club = new_club(name="Secret", is_hidden=True, joining=Joining.LINK)
        url = reverse("invitation", args=[club.invitation])
        page = text(client.get(url))
        assert "Secret" in page
        assert "First, an account" in page
        bob = as_(new_account("Bob"))
        assert bob.post(url, {"name": "Bob"}).headers["Location"] == page_of("club", club)
        assert "Your name in the club: Bob" in text(bob.get(page_of("club", club)))

    def test_a_visitor_comes_back_to_the_invitation(self, client: Client) -> None:
        club = new_club(joining=Joining.LINK)
        url = reverse("invitation", args=[club.invitation])
        page = client.get(url).content.decode()
        following = url.replace("/", "%2F")
        assert f'href="{reverse("signup")}?next={following}"' in page
        assert f'href="{reverse("login")}?next={url}"' in page
        signed_up = client.post(
            reverse("signup"),
            {"username": "ann", "name": "Ann", "password": "quiet-otter-31", "next": url},
        )
        assert signed_up.headers["Location"] == url

    def test_a_guest_makes_an_account_first(self) -> None:
        club = new_club(joining=Joining.LINK)
        url = reverse("invitation", args=[club.invitation])
        guest = as_(new_player())
        for response in (guest.get(url), guest.post(url, {"name": "Ann"})):
            assert "First, an account" in text(response)
        assert not Membership.objects.exists()

    def test_an_old_link_says_so(self, client: Client) -> None:
        page = text(client.get(reverse("invitation", args=["abcdefghjkmnpqrs"])), 404)
        assert "This invitation does not work any more" in page

    def test_a_door_that_is_changed_at_this_moment_is_shown_as_it_is(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        club, client = new_club(joining=Joining.OPEN), as_(new_account("Ann"))
        monkeypatch.setattr(
            members, "_open_door", lambda *_: Club.objects.update(joining=Joining.LIST)
        )
        response = client.post(page_of("club_join", club), {"name": "Ann"}, follow=True)
        assert response.redirect_chain == [(page_of("club_join", club), 302)]
        assert "list" in text(response)
        assert not Membership.objects.exists()

    def test_a_password_is_asked_once(self) -> None:
        club = services.found_club(
            by=new_account(), name="Green Hill", joining="password", password="open sesame"
        )
        client = as_(new_account("Ann"))
        url = page_of("club_join", club)
        for password, message in (
            ("", "Type the club's password."),
            ("open says me", "This is not the club's password."),
        ):
            response = client.post(url, {"name": "Ann", "password": password})
            assert errors(response) == {"password": [message]}
        assert "open says me" not in response.content.decode()
        response = client.post(url, {"name": "Ann", "password": "open sesame"})
        assert response.headers["Location"] == page_of("club", club)

    @pytest.mark.parametrize(
        ("joining", "door"), [(Joining.LINK, "invitation link"), (Joining.LIST, "club's list")]
    )
    def test_without_a_way_in_there_is_no_form(self, joining: str, door: str) -> None:
        club, ann = new_club(joining=joining), new_account("Ann")
        page = text(as_(ann).get(page_of("club_join", club)))
        assert door in page
        assert "Your name in the club" not in page
        response = as_(ann).post(page_of("club_join", club), {"name": "Ann"})
        assert list(errors(response)) == ["__all__"]
        assert not Membership.objects.exists()

    def test_who_is_expected_joins_a_hidden_club(self) -> None:
        club = new_club(joining=Joining.LIST, is_hidden=True)
        AllowedName.objects.create(
            club=club, username="ann", username_key="ann", name="Ann of the Hill"
        )
        client = as_(new_account("Ann"))
        assert 'value="Ann of the Hill"' in client.get(page_of("club_join", club)).content.decode()
        client.post(page_of("club_join", club), {"name": "Ann of the Hill"})
        assert Membership.objects.get().name == "Ann of the Hill"

    def test_who_is_banned_sees_no_form_and_gets_in_by_none(self) -> None:
        club = new_club(joining=Joining.LINK)
        client = as_(new_member(club, "Ann", status=Status.BANNED))
        for url in (page_of("club_join", club), reverse("invitation", args=[club.invitation])):
            assert "You are banned from this club." in text(client.get(url))
            assert list(errors(client.post(url, {"name": "Ann"}))) == ["__all__"]
        assert Membership.objects.get().status == Status.BANNED

    def test_leaving_is_asked_first(self) -> None:
        club = new_club(name="Green Hill")
        client = as_(new_member(club))
        assert "Leave the club?" in text(client.get(page_of("club_leave", club)))
        assert Membership.objects.get().is_active
        response = client.post(page_of("club_leave", club), follow=True)
        assert said(response) == ["You have left Green Hill."]
        assert Membership.objects.get().status == Status.LEFT
        assert client.get(page_of("club_leave", club)).headers["Location"] == page_of("club", club)

    def test_the_last_owner_is_told(self) -> None:
        club = new_club()
        client = as_(new_member(club, role=Role.OWNER))
        response = client.post(page_of("club_leave", club), follow=True)
        assert said(response) == ["A club needs an owner: make somebody else one first."]

    def test_ones_own_name(self) -> None:
        club = new_club()
        new_member(club, "Bob")
        client = as_(new_member(club, "Ann"))
        response = client.post(page_of("my_membership", club), {"name": "BOB"})
        assert list(errors(response)) == ["name"]
        client.post(page_of("my_membership", club), {"name": "Anna"})
        assert Membership.objects.filter(name="Anna").count() == 1
        assert as_(new_account()).get(page_of("my_membership", club)).status_code == 302


class TestSettings:
    def test_what_is_there_is_shown_and_what_is_sent_is_kept(self) -> None:
        club = new_club(name="Old", rules="XANWJ"[:1] + "LN" + "A1D")
        client = as_(new_member(club, role=Role.OWNER))
        page = client.get(page_of("club_settings", club)).content.decode()
        assert 'value="Old"' in page
        assert re.search(r'value="custom"[^>]*checked', page)
        response = client.post(
            page_of("club_settings", club),
            {**FOUNDING, "about": "New", "rule_set": "custom", "king_ace": "apart",
             "on_king": "nothing", "draw": "any_time", "jokers": "2", "waste": "dealt"},
            follow=True,
        )  # fmt: skip
        assert said(response) == ["The settings are kept."]
        club.refresh_from_db()
        assert (club.name, club.about, club.rules, club.guests_welcome) == (
            "Green Hill", "New", "XANA2D", False,
        )  # fmt: skip
        assert ClubEvent.objects.get().note == ("name time_zone joining guests_welcome about rules")

    def test_a_mistake_keeps_everything(self) -> None:
        club = new_club(name="Old")
        client = as_(new_member(club, role=Role.OWNER))
        response = client.post(
            page_of("club_settings", club),
            {**FOUNDING, "rule_set": "E", "time_zone": "Mars/Olympus"},
        )
        assert list(errors(response)) == ["time_zone"]
        club.refresh_from_db()
        assert club.name == "Old"

    def test_a_form_that_is_older_than_what_there_is_says_so_and_may_be_sent_again(self) -> None:
        club = new_club(**FOUNDING)
        ann, bo = (as_(new_member(club, name, Role.DIRECTOR)) for name in ("Ann", "Bo"))
        url = page_of("club_settings", club)
        form = {**FOUNDING, "rule_set": "E"}
        mine = {**form, "about": "Mine", "seen": ann.get(url).context["seen"]}
        theirs = {**form, "is_hidden": "on", "seen": bo.get(url).context["seen"]}
        assert bo.post(url, theirs).status_code == 302

        wrong = ann.post(url, {**mine, "name": ""})
        assert (list(errors(wrong)), wrong.context["seen"]) == (["name"], mine["seen"])

        told = ann.post(url, mine)
        assert list(errors(told)) == ["__all__"]
        assert "Somebody else has changed this meanwhile." in text(told)
        assert "Mine</textarea>" in told.content.decode()
        assert f'name="seen" value="{told.context["seen"]}"' in told.content.decode()
        club.refresh_from_db()
        assert (club.is_hidden, club.about) == (True, "")

        assert ann.post(url, {**mine, "seen": told.context["seen"]}).status_code == 302
        club.refresh_from_db()
        assert (club.is_hidden, club.about) == (False, "Mine")

    def test_a_zone_with_an_older_name_is_a_zone(self) -> None:
        club = new_club()
        client = as_(new_member(club, role=Role.OWNER))
        client.post(
            page_of("club_settings", club), {**FOUNDING, "rule_set": "E", "time_zone": "EET"}
        )
        club.refresh_from_db()
        assert club.time_zone == "EET"
        page = client.get(page_of("club_settings", club)).content.decode()
        assert '<option value="EET" selected>' in page


class TestInvitation:
    def test_the_link_and_its_code(self) -> None:
        club = new_club(joining=Joining.LINK)
        client = as_(new_member(club, role=Role.DIRECTOR))
        page = client.get(page_of("club_invitation", club)).content.decode()
        url = f"http://testserver/invitations/{club.invitation}/"
        assert f'value="{url}"' in page
        code = client.get(page_of("club_invitation_code", club))
        assert code.headers["Content-Type"] == "image/svg+xml"
        drawn = code.content.decode()
        assert drawn.startswith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ')
        assert "style=" not in drawn
        assert ("no-store" in code.headers["Cache-Control"]) is True

    def test_another_link_kills_the_old_one(self, client: Client) -> None:
        club = new_club(joining=Joining.LINK)
        old = reverse("invitation", args=[club.invitation])
        director = as_(new_member(club, role=Role.DIRECTOR))
        response = director.post(page_of("club_invitation_renew", club), follow=True)
        assert said(response) == ["This is the new link. The old one does not work any more."]
        assert client.get(old).status_code == 404
        club.refresh_from_db()
        assert client.get(reverse("invitation", args=[club.invitation])).status_code == 200
        assert as_(new_member(club)).post(page_of("club_invitation_renew", club)).status_code == 403

    def test_who_loses_the_role_at_that_moment_is_told_that_he_may_not(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        club = new_club(joining=Joining.LINK)
        director = as_(new_member(club, role=Role.DIRECTOR))
        before = club.invitation
        may_direct = selectors.clubs.may_direct

        def then_loses_it(**asked: Any) -> bool:
            answer = may_direct(**asked)
            Membership.objects.update(role=Role.MEMBER)
            return answer

        monkeypatch.setattr(selectors.clubs, "may_direct", then_loses_it)
        assert director.post(page_of("club_invitation_renew", club)).status_code == 403
        club.refresh_from_db()
        assert club.invitation == before


class TestMembers:
    def test_visitors_see_names_and_directors_user_names(self, client: Client) -> None:
        club = new_club()
        ann = new_member(club, "Ann Lee")
        new_member(club, "Gone Girl", status=Status.REMOVED)
        url = page_of("club_members", club)
        page = text(client.get(url))
        assert "Ann Lee" in page
        for missing in ("AnnLee", "Gone Girl", "Manage"):
            assert missing not in page
        assert "Ann Lee you" in text(as_(ann).get(url))
        assert "Gone Girl" not in text(as_(ann).get(url, {"former": ""}))
        director = as_(new_member(club, role=Role.DIRECTOR))
        assert "AnnLee" in text(director.get(url))
        former = text(director.get(url, {"former": ""}))
        assert "Gone Girl GoneGirl removed" in former
        assert "Ann Lee" not in former

    def test_search_and_pages(self, client: Client) -> None:
        club = new_club()
        for number in range(51):
            new_member(club, f"Player no {number:02}")
        new_member(club, "Мария")
        url = page_of("club_members", club)
        assert "Player no 50" in text(client.get(url, {"page": "2"}))
        page = text(client.get(url, {"q": "МАР"}))
        assert "Мария" in page
        assert "Player" not in page
        assert "Nobody here has a name with “zzz”." in text(client.get(url, {"q": "zzz"}))

    @pytest.mark.parametrize("rows", [1, 3])
    def test_the_same_queries_however_many(self, rows: int, django_assert_num_queries: Any) -> None:
        club = new_club()
        client = as_(new_member(club, role=Role.DIRECTOR))
        for _ in range(rows):
            new_member(club)
        with django_assert_num_queries(6):
            client.get(page_of("club_members", club))

    def test_an_owner_does_everything_to_a_member(self) -> None:
        club = new_club()
        owner = as_(new_member(club, "Olga", Role.OWNER))
        bob = Membership.objects.get(player=new_member(club, "Bob"))
        page = page_of("club_member", club, bob.pk)
        for name, data, message in (
            ("club_member_rename", {"name": "Robert"}, "The name is changed."),
            ("club_member_role", {"role": "director"}, "The role is changed."),
            ("club_member_role", {"role": "king"}, "There is no such role."),
            ("club_member_remove", {}, "Robert does not belong to the club any more."),
            ("club_member_restore", {}, "This is taken back."),
            ("club_member_ban", {}, "Robert is banned."),
            ("club_member_restore", {}, "This is taken back."),
        ):
            response = owner.post(page_of(name, club, bob.pk), data, follow=True)
            assert response.redirect_chain == [(page, 302)]
            assert said(response) == [message]
        bob.refresh_from_db()
        assert (bob.name, bob.role, bob.status) == ("Robert", "member", "active")
        assert list(ClubEvent.objects.order_by("pk").values_list("kind", flat=True)) == [
            "renamed", "role", "removed", "restored", "banned", "restored",
        ]  # fmt: skip

    def test_a_bad_name_is_said_at_its_field(self) -> None:
        club = new_club()
        owner = as_(new_member(club, "Olga", Role.OWNER))
        bob = Membership.objects.get(player=new_member(club, "Bob"))
        response = owner.post(page_of("club_member_rename", club, bob.pk), {"name": "OLGA"})
        assert list(response.context["name_form"].errors) == ["name"]
        assert "A member has this name" in text(response)

    def test_a_link_to_a_new_password_is_shown_once(self, client: Client) -> None:
        club = new_club()
        director = as_(new_member(club, "Dora", Role.DIRECTOR))
        ann = Membership.objects.get(player=new_member(club, "Ann"))
        response = director.post(page_of("club_member_password", club, ann.pk))
        assert "It is shown only now." in text(response)
        assert "no-store" in response.headers["Cache-Control"]
        found = re.search(r'value="http://testserver(/[^"]+)"', response.content.decode())
        assert found is not None
        assert found[1] not in director.get(page_of("club_member", club, ann.pk)).content.decode()
        form = client.get(found[1], follow=True)
        client.post(
            form.redirect_chain[-1][0],
            {"new_password1": "another-otter-31", "new_password2": "another-otter-31"},
        )
        assert Player.objects.get(username="Ann").check_password("another-otter-31")
        assert ClubEvent.objects.get().kind == "password_link"

    def test_no_link_for_who_may_do_more(self) -> None:
        club = new_club(joining=Joining.OPEN)
        director = as_(new_member(club, "Dora", Role.DIRECTOR))
        boss = new_member(new_club(), "Boss", Role.OWNER)
        member = services.join_club(club=club, player=boss)
        page = page_of("club_member", club, member.pk)
        assert "Forgotten password" not in text(director.get(page))
        response = director.post(page_of("club_member_password", club, member.pk), follow=True)
        assert said(response)[0].startswith("This player has more rights than a member")
        assert [event.kind for event in ClubEvent.objects.all()] == ["joined"]

    def test_what_a_director_is_offered(self) -> None:
        club = new_club()
        director = as_(new_member(club, role=Role.DIRECTOR))
        bob = Membership.objects.get(player=new_member(club, "Bob"))
        owner = Membership.objects.get(player=new_member(club, "Olga", Role.OWNER))
        page = text(director.get(page_of("club_member", club, bob.pk)))
        for offered in ("Ban", "Remove", "Change the name", "Forgotten password"):
            assert offered in page
        assert "Change the role" not in page
        page = text(director.get(page_of("club_member", club, owner.pk)))
        assert "Only owners of the club change anything here" in page
        for missing in ("Ban", "Remove", "Change the name", "Forgotten password"):
            assert missing not in page


class TestNamesOnTheList:
    def test_put_on_and_taken_off(self) -> None:
        club = new_club(joining=Joining.LIST)
        client = as_(new_member(club, role=Role.OWNER))
        url = page_of("club_list", club)
        assert "Nobody is on the list." in text(client.get(url))
        response = client.post(url, {"username": "ann", "name": "", "role": "member"}, follow=True)
        assert said(response) == ["ann is on the list."]
        assert "1 name" in text(response)
        assert "ann member not yet" in text(response)
        row = AllowedName.objects.get()
        response = client.post(page_of("club_list_remove", club, row.pk), follow=True)
        assert said(response) == ["ann is off the list."]
        assert not AllowedName.objects.exists()

    def test_a_mistake_is_said_at_its_field(self) -> None:
        club = new_club()
        client = as_(new_member(club, role=Role.DIRECTOR))
        response = client.post(page_of("club_list", club), {"username": "two words"})
        assert list(errors(response)) == ["username"]
        assert 'value="two words"' in response.content.decode()
        assert "role" not in response.context["form"].fields

    def test_a_list_of_another_club_is_not_there(self) -> None:
        club, other = new_club(), new_club()
        row = AllowedName.objects.create(club=other, username="ann", username_key="ann")
        client = as_(new_member(club, role=Role.OWNER))
        assert client.post(page_of("club_list_remove", club, row.pk)).status_code == 404
        assert AllowedName.objects.exists()

"""Importing a list, the log, and the club's tablets, as directors do it in their browsers."""

import re
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tournaments import devices, services
from tournaments.models import AllowedName, Club, ClubEvent, Device, Membership

from .factories import new_account, new_club, new_member
from .test_views_clubs import as_, page_of, said, text

pytestmark = pytest.mark.django_db

Role = Membership.Role


@pytest.fixture
def club() -> Club:
    return new_club(joining=Club.Joining.LIST)


@pytest.fixture
def owner(club: Club) -> Client:
    return as_(new_member(club, "Olga", Role.OWNER))


def upload(client: Client, club: Club, content: str | bytes) -> Any:
    data = content.encode() if isinstance(content, str) else content
    file = SimpleUploadedFile("members.csv", data, content_type="text/csv")
    return client.post(page_of("club_import", club), {"file": file})


def text_to_confirm(response: Any) -> str:
    found = re.search(
        r'<textarea name="text" hidden>\n(.*?)</textarea>', response.content.decode(), re.DOTALL
    )
    assert found is not None
    return unescape(found[1])


class TestImport:
    def test_looked_through_first_then_imported(self, club: Club, owner: Client) -> None:
        assert "What the file looks like" in text(owner.get(page_of("club_import", club)))
        response = upload(owner, club, "username,name\nann,Ann & Co\nborís,\n")
        page = text(response)
        assert "This is what would be done" in page
        assert "2 names are put on the list." in page
        assert not AllowedName.objects.exists()
        confirmed = owner.post(
            page_of("club_import", club), {"text": text_to_confirm(response)}, follow=True
        )
        assert said(confirmed) == ["The list is imported."]
        assert list(AllowedName.objects.values_list("username", "name")) == [
            ("ann", "Ann & Co"), ("borís", ""),
        ]  # fmt: skip

    def test_errors_by_line_and_no_way_on(self, club: Club, owner: Client) -> None:
        response = upload(owner, club, "username\nann\ntwo words\n<b>\n")
        page = text(response)
        assert "Nothing is imported yet" in page
        assert "2 lines have errors." in page
        assert "3 two words Enter a valid username." in page
        assert "4 <b> Enter a valid username." in page
        assert "<b>" not in response.content.decode()
        assert 'name="text"' not in response.content.decode()

    def test_what_became_wrong_meanwhile_is_said(self, club: Club, owner: Client) -> None:
        response = upload(owner, club, "username,name\nann,Ann\n")
        new_member(club, "Ann")
        confirmed = owner.post(page_of("club_import", club), {"text": "username,name\nbob,Ann\n"})
        assert "1 line has an error." in text(confirmed)
        assert not AllowedName.objects.exists()
        assert text_to_confirm(response) == "username,name\nann,Ann\n"

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("username\n" + "player\n" * 50_000, "This file is larger than 256 KiB"),
            ("username\n" + "p\n" * 2001, "This file has more than 2,000 lines."),
            (b"\xff\xfe", "This file is not in UTF-8."),
            ("", "The first line must name the columns"),
            ("ann\n", "The first line must name the columns"),
        ],
    )
    def test_a_file_that_is_no_list(
        self, club: Club, owner: Client, content: str | bytes, message: str
    ) -> None:
        response = upload(owner, club, content)
        assert message in text(response)
        assert 'role="alert"' in response.content.decode()
        assert not AllowedName.objects.exists()

    def test_no_file(self, club: Club, owner: Client) -> None:
        assert "Choose a file." in text(owner.post(page_of("club_import", club)))


class TestLog:
    def test_who_did_what_to_whom_and_when(self, club: Club, owner: Client) -> None:
        olga = Membership.objects.get().player
        ann = new_member(club, "Ann")
        membership = Membership.objects.get(player=ann)
        services.rename_member(membership=membership, name="Anna", by=ann)
        services.set_role(membership=membership, role=Role.DIRECTOR, by=olga)
        services.update_club(club=club, by=olga, about="More", rules="C")
        services.import_names(club=club, by=olga, data=b"username\na\nb\n", dry_run=False)
        services.mark_tablet(device=services.new_device(), club=club, by=olga, label="Bar")
        page = text(owner.get(page_of("club_events", club)))
        lines = [
            "club tablet changed : “Bar” marked by Olga",
            "members imported : 2 names by Olga",
            "settings changed : About the club, Rules of new tournaments by Olga",
            "role changed : director – Ann by Olga",
            "renamed : Ann → Anna by Ann",
        ]
        order = [page.index(line) for line in lines]
        assert order == sorted(order)
        assert "(UTC)" in page

    @pytest.mark.parametrize("rows", [1, 3])
    def test_the_same_queries_however_long(
        self, club: Club, owner: Client, rows: int, django_assert_num_queries: Any
    ) -> None:
        for _ in range(rows):
            services.join_club(club=new_club(), player=new_account())
            services.leave_club(club=club, player=new_member(club))
        with django_assert_num_queries(7):
            owner.get(page_of("club_events", club))

    def test_nothing_yet(self, club: Club, owner: Client) -> None:
        assert "Nothing has been done yet." in text(owner.get(page_of("club_events", club)))


class TestTablets:
    def test_this_browser_is_marked_and_known_again(self, club: Club, owner: Client) -> None:
        url = page_of("club_tablets", club)
        response = owner.post(url, {"label": "Bar"}, follow=True)
        assert said(response) == ["This browser is a tablet of the club now."]
        assert "Bar this browser" in text(response)
        assert owner.cookies[devices.COOKIE]["httponly"]
        device = Device.objects.get()
        assert (device.tablet_of, device.label) == (club, "Bar")
        # Whoever else looks does so on a browser of his own.
        other = as_(new_member(club, role=Role.DIRECTOR))
        page = text(other.get(url))
        assert "Bar" in page
        assert "Bar this browser" not in page
        response = other.post(
            reverse("club_tablet_unmark", args=[club.slug, device.pk]), follow=True
        )
        assert said(response) == ["The mark is taken away."]
        assert list(ClubEvent.objects.values_list("kind", "note")) == [
            ("tablet", "unmarked Bar"), ("tablet", "marked Bar"),
        ]  # fmt: skip

    def test_it_needs_a_name(self, club: Club, owner: Client) -> None:
        response = owner.post(page_of("club_tablets", club), {"label": " "})
        assert list(response.context["form"].errors) == ["label"]
        assert not Device.objects.exists()

    def test_the_tablet_of_another_club(self, club: Club) -> None:
        other = new_club()
        boss = new_member(club, role=Role.OWNER)
        services.join_club(club=other, player=boss)
        Membership.objects.filter(club=other).update(role=Role.OWNER)
        client = as_(boss)
        client.post(page_of("club_tablets", club), {"label": "Bar"})
        response = client.post(page_of("club_tablets", other), {"label": "Club room"}, follow=True)
        assert said(response)[-1] == (
            "This browser is the tablet of another club. Take that mark away first."
        )
        device = Device.objects.get()
        assert device.tablet_of == club
        url = reverse("club_tablet_unmark", args=[other.slug, device.pk])
        assert client.post(url).status_code == 404

    def test_members_mark_nothing(self, club: Club) -> None:
        member = as_(new_member(club))
        assert member.post(page_of("club_tablets", club), {"label": "Bar"}).status_code == 403
        device = services.new_device()
        url = reverse("club_tablet_unmark", args=[club.slug, device.pk])
        assert member.post(url).status_code == 403

"""Who of the staff sees what in the admin: a director his clubs, and nothing of others."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from tests.harness.forms import without_tokens
from tournaments.admin.scope import CLUBS
from tournaments.models import Club, Entry, Membership, Season, Tournament
from tournaments.services import clubs as clubs_services

from .factories import new_account, new_member
from .test_admin import form, said
from .world import World

pytestmark = pytest.mark.django_db
MODELS = (
    "club", "membership", "clubevent", "season", "recurrence", "tournament", "entry", "holeresult",
    "correction", "statuschange", "flag", "game", "player", "accountevent",
)  # fmt: skip
#: What a director needs a permission for, besides directing the club.
BY_PERMISSION = {"accountevent"}


@pytest.fixture
def north(db: None) -> World:
    return World("North")


@pytest.fixture
def south(db: None) -> World:
    return World("South")


def browser(player: Player) -> Client:
    client = Client()
    client.force_login(player)
    return client


def staff_of(world: World, role: str = "director", *, permitted: bool = False) -> Player:
    """A director of the club who is staff, with every permission that there is or with none."""
    player = new_member(world.club, f"{world.name} staff {role}", role=role)
    player.is_staff = True
    player.save()
    if permitted:
        player.user_permissions.set(Permission.objects.all())
    return player


def superuser() -> Client:
    return browser(Player.objects.create_superuser("root", name="Root"))


def app_of(model: str) -> str:
    return "games" if model in {"game", "player", "accountevent"} else "tournaments"


def changelist(model: str) -> str:
    return reverse(f"admin:{app_of(model)}_{model}_changelist")


def row_page(view: str, row: Any) -> str:
    opts = row._meta
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_{view}", args=[row.pk])


def listed(client: Client, model: str, **fields: str) -> set[int]:
    response = client.get(changelist(model), fields)
    assert response.status_code == 200, model
    return {row.pk for row in response.context["cl"].result_list}


def test_every_model_of_the_admin_is_tried_here() -> None:
    shown = {
        model._meta.model_name
        for model in admin.site._registry
        if model._meta.app_label in {"games", "tournaments"}
    }
    of_the_site = {"room", "seat", "rating", "ratingchange"}  # `test_admin_rooms`
    assert shown == {*MODELS, *of_the_site}
    scoped = {model._meta.model_name for model in CLUBS}
    assert set(MODELS) - scoped == {"player", "accountevent"}


@pytest.mark.parametrize("permitted", [False, True])
@pytest.mark.parametrize("role", ["owner", "director"])
def test_directors_see_the_rows_of_their_clubs(
    north: World, south: World, role: str, permitted: bool
) -> None:
    client = browser(staff_of(north, role, permitted=permitted))
    for model in MODELS:
        if model in BY_PERMISSION and not permitted:
            assert client.get(changelist(model)).status_code == 403
            continue
        mine, others = north.rows[model], south.rows[model]
        found = listed(client, model)
        assert mine.pk in found
        assert others.pk not in found
        assert client.get(row_page("change", mine)).status_code == 200
        for view in ("change", "delete", "history"):
            response = client.get(row_page(view, others), follow=True)
            is_hidden = response.redirect_chain == [(reverse("admin:index"), 302)]
            # What cannot be deleted by anybody is refused before it is looked for.
            assert is_hidden or (view == "delete" and response.status_code == 403)
            assert "South" not in without_tokens(response.content.decode())


def pages_of(world: World) -> Iterator[str]:
    """Every page that the admin has of a club, and what could be asked of its lists."""
    yield reverse("admin:index")
    for app in ("games", "tournaments"):
        yield reverse("admin:app_list", args=[app])
    for model, row in world.rows.items():
        url = changelist(model)
        yield url
        yield url + "?q=outh"
        yield url + "?all=&o=-1"
        yield reverse(f"admin:{app_of(model)}_{model}_add")
        for view in ("change", "delete", "history"):
            yield row_page(view, row)


@pytest.mark.parametrize("permitted", [False, True])
def test_no_page_names_anything_of_another_club(
    north: World, south: World, permitted: bool
) -> None:
    """Neither rows nor filters nor choices."""
    client = browser(staff_of(north, permitted=permitted))
    seen = 0
    for url in pages_of(north):
        body = without_tokens(client.get(url, follow=True).content.decode())
        assert "South" not in body, url
        seen += "North" in body
    assert seen > 20


def test_a_superuser_sees_everything(north: World, south: World) -> None:
    client = superuser()
    for model in MODELS:
        assert {world.rows[model].pk for world in (north, south)} <= listed(client, model)
    assert "South" in client.get(changelist("entry")).content.decode()


def test_lists_cannot_be_asked_about_other_clubs(north: World, south: World) -> None:
    client, root = browser(staff_of(north, permitted=True)), superuser()
    asked = {
        "entry": {"tournament__id__exact": str(south.tournament.pk)},
        "holeresult": {"entry__tournament__id__exact": str(south.tournament.pk)},
        "tournament": {"club__id__exact": str(south.club.pk)},
        "season": {"club__id__exact": str(south.club.pk)},
        "membership": {"club__id__exact": str(south.club.pk)},
        "correction": {"tournament__club__id__exact": str(south.club.pk)},
        "game": {"hole_result__entry__tournament__id__exact": str(south.tournament.pk)},
    }
    for model, fields in asked.items():
        assert south.rows[model].pk not in listed(client, model, **fields)
        assert south.rows[model].pk in listed(root, model, **fields)


def test_what_is_offered_while_typing_is_of_ones_own_clubs(north: World, south: World) -> None:
    for client, clubs in (
        (browser(staff_of(north, permitted=True)), ["North Club"]),
        (superuser(), ["North Club", "South Club"]),
    ):
        for model, field in (("tournament", "club"), ("season", "club")):
            asked = {"app_label": "tournaments", "model_name": model, "field_name": field}
            response = client.get(reverse("admin:autocomplete"), {**asked, "term": "club"})
            assert [each["text"] for each in response.json()["results"]] == clubs


def test_nothing_is_made_in_another_club(north: World, south: World) -> None:
    client = browser(staff_of(north))
    before = Tournament.objects.count()
    add = reverse("admin:tournaments_tournament_add")
    choices = dict(client.get(add).context["adminform"].form.fields["club"].choices)
    assert [str(label) for label in choices.values()][1:] == ["North Club"]
    response = client.post(add, form(club=south.club.pk))
    assert list(response.context["adminform"].form.errors) == ["club"]
    add = reverse("admin:tournaments_season_add")
    season = {"name": "Mine", "slug": "mine", "starts_on": "2030-01-01", "ends_on": "2030-12-31"}
    response = client.post(add, {**season, "points": "3, 2, 1", "club": south.club.pk})
    assert list(response.context["adminform"].form.errors) == ["club"]
    assert (Tournament.objects.count(), Season.objects.count()) == (before, 2)


def test_actions_do_nothing_to_rows_of_another_club(north: World, south: World) -> None:
    client = browser(staff_of(north, permitted=True))
    before = [list(model.objects.order_by("pk").values()) for model in (Tournament, Entry)]
    for model, actions in {
        "tournament": ("publish", "close_now", "start_review", "finalise", "recompute"),
        "entry": ("disqualify", "withdraw", "hide", "delete_selected"),
        "membership": ("remove", "ban"),
    }.items():
        row = south.rows[model]
        for action in actions:
            data = {"action": action, "_selected_action": [row.pk], "decide": "yes",
                    "reason": "x", "post": "yes"}  # fmt: skip
            response = client.post(changelist(model), data, follow=True)
            assert response.status_code == 200
            assert "South" not in without_tokens(response.content.decode())
    assert [list(model.objects.order_by("pk").values()) for model in (Tournament, Entry)] == before
    assert Membership.objects.get(pk=south.rows["membership"].pk).is_active


@pytest.mark.parametrize("status", ["left", "removed", "banned"])
def test_who_directs_no_more_sees_nothing(north: World, status: str) -> None:
    player = staff_of(north)
    Membership.objects.filter(player=player).update(status=status)
    client = browser(player)
    for model in MODELS:
        assert client.get(changelist(model)).status_code == 403
        assert client.get(row_page("change", north.rows[model])).status_code == 403


def test_staff_without_a_club_sees_no_clubs_rows_whatever_is_permitted(north: World) -> None:
    player = new_account("Helper", is_staff=True)
    player.user_permissions.set(Permission.objects.all())
    client = browser(player)
    for model in set(MODELS) - {"player", "accountevent"}:
        assert listed(client, model) == set()
    # Who looks after accounts sees them, whatever clubs they are in.
    assert north.entry.player.pk in listed(client, "player")


def test_a_director_who_is_no_staff_does_not_get_in(north: World) -> None:
    client = browser(new_member(north.club, role="owner"))
    for model in MODELS:
        url = changelist(model)
        assert client.get(url).url == f"{reverse('admin:login')}?next={url}"


def test_a_member_who_is_staff_sees_nothing(north: World) -> None:
    client = browser(staff_of(north, "member"))
    for model in MODELS:
        assert client.get(changelist(model)).status_code == 403


def test_directors_have_no_power_over_players(north: World) -> None:
    client = browser(staff_of(north))
    player = north.owner
    page = client.get(row_page("change", player)).content.decode()
    assert 'name="username"' not in page
    for url in (
        row_page("change", player),
        reverse("admin:auth_user_password_change", args=[player.pk]),
        reverse("admin:games_player_password_link", args=[player.pk]),
        row_page("delete", player),
    ):
        response = client.post(url, {"is_superuser": "on", "password1": "x", "password2": "x"})
        assert response.status_code == 403
    player.refresh_from_db()
    assert not player.is_superuser


@pytest.mark.parametrize("who", ["superuser", "director"])
def test_lists_take_the_same_queries_with_one_row_and_with_three(
    north: World, who: str, django_assert_max_num_queries: Any
) -> None:
    player = staff_of(north, permitted=True)
    client = browser(player) if who == "director" else superuser()

    def queries(model: str) -> int:
        with django_assert_max_num_queries(40) as captured:
            assert client.get(changelist(model)).status_code == 200
        return len(captured)

    for model in MODELS:
        queries(model)
    rows = {model: len(listed(client, model)) for model in MODELS}
    one = {model: queries(model) for model in MODELS}
    for name in ("East", "West"):
        world = World(name)
        Membership.objects.create(
            club=world.club, player=player, role="director", name=player.name, name_key=name
        )
    more = {model: len(listed(client, model)) - rows[model] for model in MODELS}
    assert {model for model, count in more.items() if count < 2} == set()
    assert {model: queries(model) for model in MODELS} == one


def test_secrets_cannot_be_asked_for_letter_by_letter(north: World) -> None:
    club, player = north.club, north.owner
    client = browser(staff_of(north, "owner", permitted=True))
    for model, lookup, value in (
        ("club", "invitation__startswith", club.invitation[:3]),
        ("club", "join_password__startswith", club.join_password[:3]),
        ("membership", "club__invitation__startswith", club.invitation[:3]),
        ("membership", "player__password__startswith", player.password[:3]),
        ("tournament", "salt__startswith", north.tournament.salt[:3]),
        ("entry", "tournament__salt__startswith", north.tournament.salt[:3]),
        ("entry", "player__password__startswith", player.password[:3]),
        ("holeresult", "device__key__startswith", "a"),
        ("game", "share_token__startswith", "a"),
        ("game", "deal_code__startswith", "GO2"),
        ("player", "password__startswith", player.password[:3]),
    ):
        guesses = [client.get(changelist(model), {lookup: each}) for each in (value, "zzz")]
        assert [response.status_code for response in guesses] == [400, 400], lookup


def test_a_season_is_made_and_changed_through_its_services(north: World) -> None:
    client = browser(staff_of(north))
    today = timezone.now().date()
    fields = {
        "name": "Autumn", "slug": "autumn", "points": "10, 6, 3", "best_of": "2",
        "starts_on": today.isoformat(), "ends_on": (today + timedelta(days=60)).isoformat(),
    }  # fmt: skip
    add = reverse("admin:tournaments_season_add")
    assert client.post(add, {**fields, "club": north.club.pk}).status_code == 302
    season = Season.objects.get(slug="autumn")
    assert (season.points, season.best_of, season.club) == ([10, 6, 3], 2, north.club)
    page = row_page("change", season)
    assert client.post(page, {**fields, "name": "Fall"}).status_code == 302
    season.refresh_from_db()
    assert season.name == "Fall"
    response = client.post(page, {**fields, "points": "1, 2"}, follow=True)
    assert said(response)[-1] == "A worse place must not be worth more."
    assert "10, 6, 3" in client.get(page).content.decode()
    response = client.post(page, {**fields, "points": "many"})
    assert list(response.context["adminform"].form.errors) == ["points"]
    season.refresh_from_db()
    assert season.points == [10, 6, 3]
    north.rows["tournament"].refresh_from_db()
    assert client.post(row_page("delete", north.season), {"post": "yes"}).status_code == 302
    assert Tournament.objects.get(pk=north.tournament.pk).season is None


def test_what_others_change_of_a_season_or_a_club_meanwhile_stays(
    north: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = browser(staff_of(north))

    def rename(row: Any, **meanwhile: Any) -> Any:
        """Send another name while others change something else, and return what became of it."""
        page, on = row_page("change", row), type(admin.site.get_model_admin(type(row)))
        save_form = on.save_form

        def save_later(*args: Any, **kwargs: Any) -> Any:
            type(row).objects.filter(pk=row.pk).update(**meanwhile)
            return save_form(*args, **kwargs)

        monkeypatch.setattr(on, "save_form", save_later)
        shown = client.get(page).context["adminform"].form
        data = {name: shown[name].value() for name in shown.fields}
        data = {name: value for name, value in data.items() if value not in (None, False)}
        assert client.post(page, {**data, "name": "Autumn"}).status_code == 302
        after = type(row).objects.get(pk=row.pk)
        assert after.name == "Autumn"
        return after

    season = rename(north.season, best_of=5, points=[7, 3])
    assert (season.best_of, season.points) == (5, [7, 3])
    club = rename(north.club, about="News", is_hidden=True)
    assert (club.about, club.is_hidden) == ("News", True)


def test_a_club_is_founded_and_changed_through_its_services(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = Player.objects.create_superuser("root", name="Root")
    client = browser(root)
    fields = {
        "name": "Green Hill", "slug": "green-hill", "time_zone": "Europe/Sofia", "rules": "E",
        "joining": "password", "password": "open sesame", "about": "",
    }  # fmt: skip
    assert client.post(reverse("admin:tournaments_club_add"), fields).status_code == 302
    club = Club.objects.get(slug="green-hill")
    assert Membership.objects.get(club=club).player == root
    assert [event.kind for event in club.events.all()] == ["created"]
    page = row_page("change", club)
    body = client.get(page).content.decode()
    for secret in (club.invitation, club.join_password, "open sesame"):
        assert secret not in body
    changed = {**fields, "name": "Green Hills", "password": ""}
    assert client.post(page, changed).status_code == 302
    after = Club.objects.get(pk=club.pk)
    assert (after.name, after.join_password) == ("Green Hills", club.join_password)
    response = client.post(page, {**changed, "password": "short"}, follow=True)
    assert said(response)[-1] == "A password has at least 8 characters."
    monkeypatch.setattr(clubs_services, "MOST_CLUBS", 1)
    more = {**fields, "name": "Green Dale", "slug": "green-dale"}
    response = client.post(reverse("admin:tournaments_club_add"), more, follow=True)
    assert said(response)[-1] == "you own so many clubs already"
    assert not Club.objects.filter(slug="green-dale").exists()


def test_roles_are_given_by_owners_and_a_club_keeps_one(north: World) -> None:
    member = new_member(north.club, "Mia")
    membership = Membership.objects.get(player=member)
    page = row_page("change", membership)
    assert browser(staff_of(north, "owner")).post(page, {"role": "director"}).status_code == 302
    membership.refresh_from_db()
    assert membership.role == "director"
    response = browser(staff_of(north)).post(page, {"role": "owner"}, follow=True)
    assert said(response) == ["your role in the club does not go so far"]
    membership.refresh_from_db()
    assert membership.role == "director"
    Membership.objects.filter(club=north.club, role="owner").exclude(player=north.owner).delete()
    last = row_page("change", Membership.objects.get(player=north.owner))
    response = superuser().post(last, {"role": "member"}, follow=True)
    assert said(response) == ["a club keeps an owner"]

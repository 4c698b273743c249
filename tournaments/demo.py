"""The demo: what a newcomer finds on the embedded site after its first start."""

import os
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import get_random_string

from games.engine import EASY
from games.models import Player
from tournaments import selectors, services
from tournaments.models import Club, Membership, Tournament

CLUB = "demo"
DIRECTOR = "director"
PLAYERS = {"alex": "Alex Green", "robin": "Robin Park"}
OPEN_FOR = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Login:
    """A demo account; `password` is None when it was not made by the demo."""

    username: str
    password: str | None
    is_director: bool


@dataclass(frozen=True, slots=True)
class DemoInfo:
    """What the demo holds, to be printed.

    `created` says whether the tournament was made just now. `slug` and `path` are those of the
    open tournament; both are None, and there are no logins, on a site that has clubs of its own.
    """

    created: bool
    slug: str | None
    path: str | None
    logins: tuple[Login, ...]


def create_demo() -> DemoInfo:
    """Make the demo, unless it is there: a club, an open tournament, a director, two players.

    When the demo's tournament is over, the next one is made. Idempotent; safe to call at each
    start. A site whose clubs are its own is left alone.

    Raises `ImproperlyConfigured` on anything but the embedded site: the director's password is
    printed on the terminal.
    """
    if settings.DATABASE_URL or settings.HTTPS or settings.PROCESSES > 1:
        raise ImproperlyConfigured("The demo is for the embedded site only.")
    club = Club.objects.filter(slug=CLUB).first()
    others = Club.objects.exclude(slug=services.HOUSE_CLUB)
    if club is None and (others.exists() or Player.objects.filter(is_staff=True).exists()):
        return DemoInfo(created=False, slug=None, path=None, logins=())
    password = _password()
    with transaction.atomic():
        if club is None:
            club = Club.objects.create(
                name="Demo Club",
                slug=CLUB,
                about="A club to try everything out with.",
                joining=Club.Joining.OPEN,
                guests_welcome=True,
            )
            _create_accounts(password)
            _fill_club(club)
        tournament = selectors.open_tournaments().filter(club=club).first()
        created = tournament is None
        if tournament is None:
            tournament = _create_tournament(club)
    return DemoInfo(
        created=created,
        slug=tournament.slug,
        path=reverse("tournament", args=[tournament.slug]),
        logins=_logins(password),
    )


def _logins(password: str) -> tuple[Login, ...]:
    """Return the demo's accounts that are still there, each with its password if it is still so."""
    accounts = Player.objects.filter(username__in=(DIRECTOR, *PLAYERS))
    hashes = dict(accounts.values_list("username", "password"))
    # They were made with one hash, so that a check, slow as it must be, is usually one check.
    fits = {each: check_password(password, each) for each in set(hashes.values())}
    return tuple(
        Login(username, password if fits[hashes[username]] else None, username == DIRECTOR)
        for username in (DIRECTOR, *PLAYERS)
        if username in hashes
    )


def _password_file() -> Path:
    return Path(settings.DATA_DIR) / "demo_password"


def _password() -> str:
    """Return the password of the demo's accounts, drawn at the first start and kept.

    A fixed one would be an open door on every site that was started once for a try.
    """
    path = _password_file()
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    password = get_random_string(10, "abcdefghjkmnpqrstuvwxyz23456789")
    with os.fdopen(file, "w") as stream:
        stream.write(password + "\n")
    return password


def _create_accounts(password: str) -> None:
    # Hashed once: at the strength of real passwords three hashes would hold up the first start.
    hashed = make_password(password)
    names = {DIRECTOR: "Demo Director", **PLAYERS}
    for username, name in names.items():
        is_director = username == DIRECTOR
        Player.objects.get_or_create(
            username=username,
            defaults={
                "name": name,
                "password": hashed,
                "is_staff": is_director,
                "is_superuser": is_director,
            },
        )


def _fill_club(club: Club) -> None:
    """Make the demo's accounts members of its club, and the director its owner."""
    for player in Player.objects.filter(username__in=(DIRECTOR, *PLAYERS)):
        membership = services.join_club(club=club, player=player)
        if player.username == DIRECTOR:
            services.set_role(membership=membership, role=Membership.Role.OWNER, by=player)


def _create_tournament(club: Club) -> Tournament:
    number = 1
    slug = "demo-nine-holes"
    while Tournament.objects.filter(slug=slug).exists():
        number += 1
        slug = f"demo-nine-holes-{number}"
    now = timezone.now()
    plan = services.Plan(
        name="Demo: nine holes",
        slug=slug,
        rules=EASY,
        rounds=services.whole_window(opens_at=now, closes_at=now + OPEN_FOR),
    )
    return services.publish(tournament=services.create_tournament(club=club, plan=plan))

"""A site with something on every page, for whoever looks at all of them.

`furnish(site)` fills a running site; it runs this module in a process of its own, with the site's
environment, since a module that drives a browser does not use the ORM itself.
"""

import json
import random
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.harness.processes import ROOT, StartError

if TYPE_CHECKING:
    from games.models import Game, Player
    from tests.harness.site import Site
    from tournaments.models import Tournament

PLAYERS = (
    "Aino Mäkinen", "Борис Иванов", "محمد الفاسي", "Zoë", "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWW",
    "Дарья", "Pekka", "ليلى", "Robin", "Σοφία", "Мария", "Tom",
)  # fmt: skip
#: Holes that each of them has finished; the one who has played two is who looks at the pages.
HOLES = (9, 9, 9, 9, 9, 9, 4, 2, 1, 0, 0, 0)
LOOKS = HOLES.index(2)
#: Who is looked at.
WIDEST = PLAYERS.index("W" * 30)


@dataclass(frozen=True)
class Furnished:
    """Paths of the pages by name, and session cookies of a player and a director."""

    pages: dict[str, str]
    player: str
    director: str

    def cookie(self, name: str) -> str | None:
        """Whose page it is: the value of the session cookie; None for a visitor's."""
        if name in {"log-in", "sign-up", "admin-log-in", "visitor"}:
            return None
        return self.director if name.startswith("admin") else self.player


def furnish(site: "Site") -> Furnished:
    """Play two tournaments and some practice on the site."""
    done = subprocess.run(
        [sys.executable, "-m", __name__],
        cwd=ROOT,
        env=site.env | {"DJANGO_SETTINGS_MODULE": "golfsite.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise StartError(f"{__name__} failed:\n{done.stderr}")
    return Furnished(**json.loads(done.stdout))


def _actions(game: "Game", chance: random.Random) -> str:
    """A whole game by a player who takes the first card that comes to mind."""
    from games import selectors

    board = selectors.play_of(game=game, actions="")
    while not board.final:
        legal = board.legal()
        cards = [action for action in legal if action.isdigit()]
        board.act(chance.choice(cards) if cards else "d" if "d" in legal else "g")
    return "".join(board.journal)


def _practise(player: "Player", chance: random.Random, share: float = 1) -> "Game":
    from games import services
    from games.engine import EASY, GameCode
    from tests.tournaments.factories import play

    code = GameCode(version=1, rules=EASY, number=chance.randrange(26**7))
    game = services.new_practice_game(player=player, code=code)
    actions = _actions(game, chance)
    return play(game, actions[: int(len(actions) * share)])


def _tournaments(players: "list[Player]", chance: random.Random) -> "list[Tournament]":
    """One that goes on, and one that is over."""
    from django.utils import timezone

    from games.engine import STRICT
    from tests.tournaments.factories import let_time_pass, new_club, new_tournament, play
    from tournaments import services

    club = new_club(name="Sofia Golf Club", slug="sofia", about="We meet on Thursdays.")
    spring = new_tournament(club=club, name="Spring Nine", slug="spring", codes=None)
    autumn = new_tournament(
        club=club,
        name="Autumn Nine",
        slug="autumn",
        rules=STRICT,
        rank_by="app_score",
        codes=None,
    )
    for tournament in (spring, autumn):
        for player, holes in zip(players, HOLES, strict=True):
            entry = services.enter(tournament=tournament, player=player)
            for number in range(1, holes + 1):
                game = services.start_hole(entry=entry, number=number).game
                play(game, _actions(game, chance))
    services.close_tournament(tournament=let_time_pass(autumn), now=timezone.now())
    services.start_hole(entry=spring.entries.get(player=players[LOOKS]), number=3)
    return [spring, autumn]


def _cookie(player: "Player") -> str:
    from django.conf import settings
    from django.test import Client

    browser = Client()
    browser.force_login(player)
    value: str = browser.cookies[settings.SESSION_COOKIE_NAME].value
    return value


def _furnish() -> dict[str, Any]:
    from django.urls import reverse

    from games import services
    from games.models import Player

    chance = random.Random(5)
    players = [services.create_guest(name=name) for name in PLAYERS]
    director = Player.objects.create_superuser("director", name="Director")
    spring, autumn = _tournaments(players, chance)
    player = players[LOOKS]
    running = _practise(player, chance, 0.4)
    finished = _practise(player, chance)
    shared = services.share_game(game=_practise(player, chance))
    # The card of the widest name, which no page may be widened by.
    card = autumn.entries.get(player=players[WIDEST]).pk
    pages = {
        "home": reverse("home"),
        "visitor": reverse("home"),
        "practice": reverse("practice"),
        "board": reverse("game", args=[running.public_id]),
        "result": reverse("game", args=[finished.public_id]),
        "hole": reverse("hole", args=[spring.slug, 3]),
        "my-games": reverse("my_games"),
        "moves": reverse("game_moves", args=[finished.public_id]),
        "shared": reverse("share", args=[shared.share_token]),
        "tournaments": reverse("tournaments"),
        "tournament": reverse("tournament", args=[spring.slug]),
        "tournament-over": reverse("tournament", args=[autumn.slug]),
        "leaderboard": reverse("leaderboard", args=[spring.slug]),
        "leaderboard-over": reverse("leaderboard", args=[autumn.slug]),
        "scorecard": reverse("scorecard", args=[autumn.slug, card]),
        "replay": reverse("hole_replay", args=[autumn.slug, card, 1]),
        "rules": reverse("rules"),
        "log-in": reverse("login"),
        "sign-up": reverse("signup"),
        "leave": reverse("logout"),
        "not-found": "/nothing/",
        "admin-log-in": reverse("admin:login"),
        "admin": reverse("admin:index"),
        "admin-tournaments": reverse("admin:tournaments_tournament_changelist"),
        "admin-tournament": reverse("admin:tournaments_tournament_change", args=[spring.pk]),
    }
    return {"pages": pages, "player": _cookie(player), "director": _cookie(director)}


if __name__ == "__main__":
    import django

    django.setup()
    sys.stdout.write(json.dumps(_furnish()))

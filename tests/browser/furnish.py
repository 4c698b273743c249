"""A site with something on every page, for whoever looks at all of them.

`furnish(site)` fills a running site; it runs this module in a process of its own, with the site's
environment, since a module that drives a browser does not use the ORM itself.
"""

import json
import random
import sys
from dataclasses import dataclass
from datetime import timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest import mock

if TYPE_CHECKING:
    from games.models import Game, Player
    from tests.harness.site import Site
    from tournaments.models import Club, Membership, Season, Tournament

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
        if name in {"log-in", "sign-up", "admin-log-in", "password-link"}:
            return None
        if name.startswith("visitor"):
            return None
        return self.director if name.startswith(("admin", "direct")) else self.player


def furnish(site: "Site") -> Furnished:
    """Play two tournaments and some practice on the site."""
    return Furnished(**site.run_module(__name__, timeout=600))


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


def _people(club: "Club", director: "Player") -> "Membership":
    """Give the club an owner, members, a list and a log; return a member."""
    from tests.tournaments.factories import new_account
    from tournaments import services
    from tournaments.models import Membership

    services.join_club(club=club, player=director)
    Membership.objects.filter(club=club).update(role=Membership.Role.OWNER)
    for name in PLAYERS:
        player = new_account(name, is_active=True)
        member = services.join_club(club=club, player=player)
    services.allow_name(club=club, by=director, username="w" * 150, name="Somebody Else")
    services.mark_tablet(device=services.new_device(), club=club, by=director, label="W" * 60)
    services.remove_member(membership=member, by=director)
    return member


def _directing(spring: "Tournament", autumn: "Tournament", director: "Player") -> dict[str, str]:
    """What directors have decided, and the pages on which they do."""
    from django.urls import reverse

    from tournaments import services

    def entry(tournament: "Tournament", at: int) -> Any:
        return tournament.entries.get(player__name=PLAYERS[at])

    who = {"by": director}
    adjusted, shut = entry(autumn, 2), entry(autumn, 6)
    services.adjust_hole(
        entry=adjusted, number=3, strokes=2, app_score=330,
        reason="The tablet went off; two players saw the cards that were left.", **who,
    )  # fmt: skip
    services.void_hole(
        tournament=autumn, number=9, reason="Its deal was shown on the screen before.", **who
    )
    services.disqualify(entry=shut, reason="لعب بحسابين في الوقت نفسه", **who)
    services.hide_entry(entry=entry(autumn, 11), reason="Entered twice.", **who)
    until = spring.closes_at + timedelta(hours=2)
    services.extend_window(
        entry=entry(spring, WIDEST), until=until, reason="Power cut in the club house.", **who
    )
    return {
        "corrections": reverse("tournament_corrections", args=[autumn.slug]),
        "exports": reverse("tournament_exports", args=[autumn.slug]),
        "direct": reverse("tournament_direct", args=[autumn.slug]),
        "direct-open": reverse("tournament_direct", args=[spring.slug]),
        "direct-entry": reverse("tournament_direct_entry", args=[autumn.slug, adjusted.pk]),
        "direct-entry-open": reverse(
            "tournament_direct_entry", args=[spring.slug, entry(spring, WIDEST).pk]
        ),
        "direct-adjust": reverse(
            "tournament_decide_result", args=[autumn.slug, adjusted.pk, 3, "adjust"]
        ),
        "direct-extend": reverse(
            "tournament_decide_entry", args=[spring.slug, entry(spring, 3).pk, "extend"]
        ),
        "direct-void": reverse("tournament_decide_hole", args=[autumn.slug, 1, "void"]),
        "direct-add": reverse("tournament_add_player", args=[spring.slug]),
        "direct-close": reverse("tournament_step", args=[spring.slug, "close"]),
        "admin-entry": reverse("admin:tournaments_entry_change", args=[adjusted.pk]),
        "admin-entries": reverse("admin:tournaments_entry_changelist"),
        "admin-corrections": reverse("admin:tournaments_correction_changelist"),
        "admin-club": reverse("admin:tournaments_club_change", args=[spring.club.pk]),
    }


def _members_nine(club: "Club", chance: random.Random) -> None:
    """Let the members play for the points of a season."""
    from django.utils import timezone

    from tests.tournaments.factories import let_time_pass, new_tournament, record
    from tournaments import services

    nine = new_tournament(club=club, name="Members' Nine", slug="members-nine", codes=None)
    for member in club.memberships.filter(role="member", status="active"):
        entry = services.enter(tournament=nine, player=member.player)
        record(entry, *[max(0, round(chance.gauss(5, 2))) for _ in range(9)])
    services.close_tournament(tournament=let_time_pass(nine), now=timezone.now())


def _season(tournament: "Tournament") -> "Season":
    """A season of the club, and something that it holds again and again."""
    from tournaments import services
    from tournaments.dates import Every

    day = tournament.opens_at.date()
    days = {"starts_on": day - timedelta(days=30), "ends_on": day + timedelta(days=30)}
    plan = services.SeasonPlan(name="Order of merit", slug="merit", **days)
    services.start_recurring(
        tournament=tournament, every=Every.WEEK, first_on=day + timedelta(days=7)
    )
    return services.create_season(club=tournament.club, plan=plan)


def _boards(players: "list[Player]", director: "Player", chance: random.Random) -> dict[str, str]:
    """Make boards with all that there can be: rounds, divisions, decisions; blind and frozen."""
    from datetime import timedelta

    from django.urls import reverse
    from django.utils import timezone

    from tests.tournaments.factories import new_tournament, record
    from tournaments import selectors, services
    from tournaments.models import Club
    from tournaments.services import RoundPlan

    now, day = timezone.now(), timedelta(days=1)
    club = Club.objects.get(slug="sofia")
    open_ = new_tournament(
        club=club,
        name="Club Championship",
        slug="championship",
        tie_break="countback",
        undo_allowed=True,
        divisions=("Men", "Women"),
        rounds=(
            RoundPlan(opens_at=now - day, closes_at=now - day / 2),
            RoundPlan(opens_at=now - day / 4, closes_at=now + day / 4),
        ),
        codes=None,
    )
    divisions = selectors.divisions_of(tournament=open_)
    entries = []
    for number, player in enumerate(players):
        entry = services.enter(
            tournament=open_, player=player, division=divisions[number % len(divisions)]
        )
        strokes = [max(0, round(chance.gauss(5, 3))) for _ in range(HOLES[number] * 2)]
        entries.append(record(entry, *strokes, undos=number % 3))
    services.void_hole(tournament=open_, number=4, by=director, reason="A card was missing.")
    services.adjust_hole(
        entry=entries[0], number=1, strokes=3, app_score=300, by=director, reason="A power cut."
    )
    services.disqualify(entry=entries[5], by=director, reason="Two accounts.")
    for visibility in ("blind", "frozen"):
        kept = new_tournament(
            club=club,
            name=f"Kept back ({visibility})",
            slug=visibility,
            visibility=visibility,
            frozen_at=now + timedelta(seconds=1) if visibility == "frozen" else None,
            codes=None,
        )
        for player, holes in zip(players, HOLES, strict=True):
            record(services.enter(tournament=kept, player=player), *[5] * holes)
    board = reverse("leaderboard", args=[open_.slug])
    match = reverse("match", args=[open_.slug])
    return {
        "leaderboard-rounds": board,
        "leaderboard-stableford": f"{board}?format=stableford&division={divisions[0].pk}",
        "leaderboard-net": f"{board}?format=net&q=a",
        "leaderboard-blind": reverse("leaderboard", args=["blind"]),
        "leaderboard-frozen": reverse("leaderboard", args=["frozen"]),
        "scorecard-rounds": reverse("scorecard", args=[open_.slug, entries[0].pk]),
        "match": f"{match}?a={entries[0].pk}&b={entries[WIDEST].pk}",
        "match-choice": match,
        "screen": reverse("screen", args=[open_.slug]),
    }


def _fairness(spring: "Tournament", autumn: "Tournament", director: "Player") -> dict[str, str]:
    """Flags of every kind and deals that were opened, and the pages that show them."""
    from django.urls import reverse

    from tests.tournaments.factories import new_tournament
    from tournaments import services
    from tournaments.models import Flag

    entries = list(autumn.entries.order_by("pk")[:4])
    details: dict[str, dict[str, Any]] = {
        "speed": {"hole": 3, "cards": 33, "ms": 4100},
        "device": {"other": entries[0].pk, "holes": [1, 2, 3]},
        "foresight": {
            "round": 1, "holes": 9, "choices": 118, "costly": 0, "expected": 17.4, "chance": 3e-8,
        },
        "damaged": {"hole": 4},
    }  # fmt: skip
    for entry, (kind, known) in zip(entries, details.items(), strict=True):
        flag = Flag.objects.create(entry=entry, kind=kind, key="here", details=known)
    services.mark_seen(flag=flag, by=director, note="The power went off in the whole house.")
    opened = new_tournament(
        club=spring.club, name="W" * 80, slug="winter-open", rules=spring.rule_set, codes=None
    )
    services.open_deals(tournament=opened, by=director)
    return {
        "proof": reverse("tournament_proof", args=[spring.slug]),
        "proof-over": reverse("tournament_proof", args=[autumn.slug]),
        "direct-deals": reverse("tournament_deals", args=[spring.slug]),
        "direct-deals-opened": reverse("tournament_deals", args=[opened.slug]),
        "direct-flags": reverse("tournament_flags", args=[autumn.slug]),
        "direct-flags-none": reverse("tournament_flags", args=[spring.slug]),
    }


def _races(players: "list[Player]", chance: random.Random) -> dict[str, str]:
    """Rooms in every phase, and the pages of who looks and of a stranger."""
    from django.urls import reverse
    from django.utils import timezone

    from tests.tournaments.factories import play
    from tests.tournaments.racing import finish_hole, game_of, new_room, sit, start
    from tournaments.models import Room

    me, others = players[LOOKS], [player for player in players if player is not players[LOOKS]]
    gathering = new_room(me, is_public=True, holes=3)
    for player in others[:6]:
        sit(gathering, player)

    racing = new_room(me, hole_minutes=60, grace_seconds=600)
    for player in others:
        sit(racing, player)
    race = start(racing)
    for player in others[:8]:
        game = game_of(race, player.name)
        actions = _actions(game, chance)
        play(game, actions[: chance.randrange(5, 25)] if player is not others[0] else "g")

    late = new_room(others[0], hole_minutes=60, holes=3, is_public=True)
    sit(late, others[1])
    start(late)
    sit(late, me)

    over = new_room(others[1])
    for player in (me, others[2], players[WIDEST]):
        sit(over, player)
    ended = start(over)
    finish_hole(ended)
    # Rooms close that nobody has been in for a while.
    Room.objects.update(used_at=timezone.now() + timedelta(days=1))

    def room(shown: Room) -> str:
        return reverse("room", args=[shown.code])

    return {
        "races": reverse("races"),
        "visitor-races": reverse("races"),
        "room": room(gathering),
        "visitor-room": room(gathering),
        "room-settings": reverse("room_settings", args=[gathering.code]),
        "room-racing": room(racing),
        "visitor-racing": room(late),
        "room-late": room(late),
        "room-over": room(over),
        "race": reverse("race", args=[over.code, ended.slug]),
    }


def _ratings(*accounts: "Player") -> None:
    """Let accounts have raced twice."""
    from tests.tournaments.racing import new_room, race_all, sit

    first, *others = accounts
    for _ in range(2):
        room = new_room(first)
        for player in others:
            sit(room, player)
        race_all(room)


def _rounds(players: "list[Player]") -> None:
    """Let players have rounds that are over, and show their figures to everybody."""
    from django.utils import timezone

    from games.services import show_figures
    from tests.tournaments.factories import let_time_pass, new_tournament, record
    from tournaments import services
    from tournaments.models import Club

    club = Club.objects.get(slug="sofia")
    for month, strokes in (("July", 6), ("August", 3), ("September", 5)):
        tournament = new_tournament(club=club, name=f"{month} Nine", slug=month.lower(), codes=None)
        for player in players:
            entry = services.enter(tournament=tournament, player=player)
            record(entry, *[strokes] * 9, longest_streak=strokes)
        services.close_tournament(tournament=let_time_pass(tournament), now=timezone.now())
    for player in players:
        show_figures(player=player, is_public=True)


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
    from games.engine import GameCode
    from games.models import Player
    from tests.tournaments.factories import new_draft

    chance = random.Random(5)
    players = [services.create_guest(name=name) for name in PLAYERS]
    director = Player.objects.create_superuser("director", name="Director")
    spring, autumn = _tournaments(players, chance)
    account = services.sign_up(username="mikko", name="Mikko", password="seven columns")
    link = services.issue_password_link(player=account, by=director)
    member = _people(spring.club, director)
    _members_nine(spring.club, chance)
    season = _season(spring)
    draft = new_draft(club=spring.club, name="Winter Nine", slug="winter", codes=None)
    player = players[LOOKS]
    running = _practise(player, chance, 0.4)
    finished = _practise(player, chance)
    shared = services.share_game(game=_practise(player, chance))
    code = GameCode.parse(finished.deal_code)
    again = services.practise_from(player=player, code=code, actions="d")
    _rounds([player, players[WIDEST]])
    ghost = services.new_practice_game(player=player, code=code)
    # The card of the widest name, which no page may be widened by.
    card = autumn.entries.get(player=players[WIDEST]).pk
    pages = {
        "home": reverse("home"),
        "visitor": reverse("home"),
        "practice": reverse("practice"),
        "board": reverse("game", args=[running.public_id]),
        "result": reverse("game", args=[finished.public_id]),
        "hole": reverse("hole", args=[spring.slug, 3]),
        "withdraw": reverse("tournament_withdraw", args=[spring.slug]),
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
        "from-position": reverse("game", args=[again.public_id]),
        "ghost": f"{reverse('game', args=[ghost.public_id])}?ghost={finished.public_id}",
        "compare": reverse("hole_compare", args=[autumn.slug, 1]) + f"?b={card}",
        "figures": reverse("tournament_figures", args=[autumn.slug]),
        "figures-open": reverse("tournament_figures", args=[spring.slug]),
        "hole-figures": reverse("hole_figures", args=[autumn.slug, 1]),
        "my-figures": reverse("my_figures"),
        "player": reverse("player", args=[players[WIDEST].page_id]),
        "delete-account": reverse("delete_account"),
        "season": reverse("season", args=[season.slug]),
        "director-tournament": reverse("tournament", args=[spring.slug]),
        "director-new": reverse("tournament_new", args=[spring.club.slug]),
        "director-edit": reverse("tournament_edit", args=[autumn.slug]),
        "director-copy": reverse("tournament_copy", args=[spring.slug]),
        "director-draft": reverse("tournament", args=[draft.slug]),
        "director-edit-draft": reverse("tournament_edit", args=[draft.slug]),
        "director-delete": reverse("tournament_delete", args=[draft.slug]),
        "director-repeat": reverse("tournament_repeat", args=[spring.slug]),
        "director-recurring": reverse("recurrences", args=[spring.club.slug]),
        "director-seasons": reverse("seasons", args=[spring.club.slug]),
        "director-new-season": reverse("season_new", args=[spring.club.slug]),
        "director-season": reverse("season_edit", args=[season.slug]),
        "director-delete-season": reverse("season_delete", args=[season.slug]),
        **_boards(players, director, chance),
        "rules": reverse("rules"),
        "clubs": reverse("clubs"),
        "club": reverse("club", args=["sofia"]),
        "club-members": reverse("club_members", args=["sofia"]),
        "club-join": reverse("club_join", args=["sofia"]),
        "director-club": reverse("club", args=["sofia"]),
        "director-new-club": reverse("club_new"),
        "director-members": reverse("club_members", args=["sofia"]),
        "director-member": reverse("club_member", args=["sofia", member.pk]),
        "director-list": reverse("club_list", args=["sofia"]),
        "director-import": reverse("club_import", args=["sofia"]),
        "director-settings": reverse("club_settings", args=["sofia"]),
        "director-invitation": reverse("club_invitation", args=["sofia"]),
        "director-log": reverse("club_events", args=["sofia"]),
        "director-tablets": reverse("club_tablets", args=["sofia"]),
        "director-name": reverse("my_membership", args=["sofia"]),
        "director-figures": reverse("my_figures"),
        "director-leave": reverse("club_leave", args=["sofia"]),
        "director-password": reverse("password_change"),
        "log-in": reverse("login"),
        "sign-up": reverse("signup"),
        "leave": reverse("logout"),
        "account": reverse("account"),
        "keep-games": reverse("keep_games"),
        "password-link": link.path,
        "not-found": "/nothing/",
        "no-invitation": reverse("invitation", args=["nothing"]),
        "admin-log-in": reverse("admin:login"),
        "admin": reverse("admin:index"),
        "admin-password-link": reverse("admin:games_player_password_link", args=[account.pk]),
        "admin-events": reverse("admin:games_accountevent_changelist"),
        "admin-tournaments": reverse("admin:tournaments_tournament_changelist"),
        "admin-tournament": reverse("admin:tournaments_tournament_change", args=[spring.pk]),
    }
    pages |= _directing(spring, autumn, director)
    pages |= _races(players, chance)
    _ratings(director, account)
    pages |= _fairness(spring, autumn, director)
    return {"pages": pages, "player": _cookie(player), "director": _cookie(director)}


if __name__ == "__main__":
    import django

    django.setup()
    # The same cards each time: what there is to see must not depend on chance.
    drawn = SimpleNamespace(randbits=random.Random(8).getrandbits)
    with mock.patch("tournaments.services.screening.secrets", drawn):
        sys.stdout.write(json.dumps(_furnish()))

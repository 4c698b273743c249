"""The examples of the rules page: each one is played, refused or counted by the engine itself.

So the page cannot say anything of the game that the game does not do. What is worded here is in
the language of the page.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from games import prose, words
from games.engine import (
    CLASSIC,
    EASY,
    PAR,
    RANKS,
    STRICT,
    UNDO_LIMIT,
    BoardProse,
    Deal,
    GameCode,
    Play,
    Refusal,
    RuleSet,
    card_text,
    describe,
    scoring,
)
from games.forms import RuleSetForm
from games.templatetags.golf import to_par as against_par
from tournaments.scorecard import (
    RACE_MARGIN_MS,
    Hole,
    HoleScore,
    Line,
    Standing,
    Terms,
    TieBreak,
    club_handicap,
    handicap_strokes,
    rank,
    stableford_points,
)
from tournaments.selectors.rooms import SETTLED_RACES
from tournaments.services import HOLES

CODE: Final = "GO1-E-AAAAAAB"
#: A whole game of that deal, won under Easy, and the number of its move that Classic refuses.
LINE: Final = "d52dd556616d47dd131442523d4d7d73d23246117d7dd356"
CROSSING: Final = 35
#: The moves that the streak is shown by: up to the third time that a draw follows cards.
STREAK_MOVES: Final = 12
#: Cards cleared, of games that end without another move.
_ENDS: Final = (35, 31, 30, 25, 18, 17)
#: Cards left on two holes of two players: who has fewer strokes has fewer points.
_TWO_CARDS: Final = ((21, 0), (17, 3))
#: Strokes against par of the holes of a made-up tournament, and how many of them were played.
_FIELD: Final = (
    ("Aino", 9, -6),
    ("Boris", 9, -2),
    ("Carmen", 9, -2),
    ("Davit", 9, 4),
    ("Elsa", 7, -8),
    ("Farid", 0, 0),
)
#: Strokes against par of the rounds that make the handicap of the example, the latest first.
_ROUNDS: Final = (20, 12, 15)
#: Strokes and times in ms of a race of one hole: three equal on strokes, and one who is not.
_RACE: Final = (
    ("Aino", 4, 61_200),
    ("Boris", 4, 61_200 + RACE_MARGIN_MS),
    ("Carmen", 4, 61_201 + RACE_MARGIN_MS),
    ("Davit", 6, 48_000),
)
_TYPED: Final = ("go1-e-aaaaaab", "GO1 E AAAAAAB", "go1eaaaaaab")


@dataclass(frozen=True, slots=True)
class Step:
    """A move of a game: its number, what it did, and the streak after it."""

    number: int
    action: str
    card: str
    streak: int
    points: int
    total: int
    left: int


@dataclass(frozen=True, slots=True)
class Refused:
    """A move that the engine refused: the code, what was tried, and what the board answers."""

    code: str
    tried: str
    answer: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one rule set says to a move; `refused` is None when it is played."""

    rules: str
    refused: str | None


class RulesPage:
    """Everything on the page that is worked out, by name."""

    code = CODE
    par = PAR
    holes = HOLES
    round_par = PAR * HOLES
    undo_limit = UNDO_LIMIT
    card_points = scoring.CARD_POINTS
    crossing_number = CROSSING
    streak_moves = STREAK_MOVES

    @cached_property
    def deal(self) -> Deal:
        """The published deal."""
        return GameCode.parse(CODE).deal()

    @property
    def counts(self) -> dict[str, int]:
        """How many cards lie where at the start."""
        columns, stock = self.deal.columns, len(self.deal.stock)
        tableau = sum(map(len, columns))
        return {
            "columns": len(columns),
            "rows": len(columns[0]),
            "tableau": tableau,
            "waste": 1,
            "stock": stock,
            "cards": tableau + 1 + stock,
        }

    def _after(self, moves: int, rules: RuleSet = EASY) -> Play:
        return Play.replay(self.deal, rules, LINE[:moves])

    @property
    def start(self) -> BoardProse:
        """The deal before the first move."""
        return describe(self._after(0))

    @property
    def opening(self) -> list[Step]:
        """The first moves, up to the position `opened`."""
        return list(self._steps(3))

    @property
    def opened(self) -> BoardProse:
        """The position after the opening."""
        return describe(self._after(3))

    @property
    def crossing(self) -> BoardProse:
        """The position in which Easy and Classic part."""
        return describe(self._after(CROSSING - 1))

    @property
    def crossing_card(self) -> str:
        """The text of the card that is played there."""
        return card_text(self._after(CROSSING - 1).columns[int(LINE[CROSSING - 1]) - 1][-1])

    @property
    def crossing_done(self) -> dict[str, int]:
        """The figures of that position."""
        return self._after(CROSSING - 1).figures()

    @property
    def verdicts(self) -> list[Verdict]:
        """What the named rule sets say to the move there."""
        return [
            Verdict(words.rules_name(rules), self._refusal_at_crossing(rules))
            for rules in (EASY, CLASSIC, STRICT)
        ]

    def _refusal_at_crossing(self, rules: RuleSet) -> str | None:
        refusal = _refusal(self._crossing_under(rules), LINE[CROSSING - 1])
        return None if refusal is None else prose.refusal_text(refusal, rules)

    def _crossing_under(self, rules: RuleSet) -> Play:
        """The position before the crossing, played on under other rules."""
        return Play(self._after(CROSSING - 1).deal, rules)

    @property
    def won(self) -> BoardProse:
        """The end of the game."""
        return describe(self._after(len(LINE)))

    @property
    def won_figures(self) -> dict[str, int]:
        """The figures at the end of the game."""
        return self._after(len(LINE)).figures()

    @property
    def below_stock(self) -> int:
        """The cards in the stock at that end."""
        return self.won_figures["stock_left"]

    @property
    def below_par(self) -> int:
        """The strokes below par of that end."""
        return self.won_figures["strokes_below_par"]

    @property
    def refusals(self) -> list[Refused]:
        """A real example of each reason that a player meets."""
        start = self._after(0)
        only_aces = RuleSet(on_king="ace")
        under_strict = Play.replay(self.deal, STRICT, "d")
        tried = [
            (_("A free card that is not next in rank"), start, "1", None),
            (_("A card that others lie on"), start, "1", 4),
            (_("A card on a king, under Strict"), self._crossing_under(STRICT), "3", None),
            (
                _("Anything but an ace on a king, where only an ace may go"),
                self._crossing_under(only_aces),
                "2",
                None,
            ),
            (_("A draw while a card fits, under Strict"), under_strict, "d", None),
            (_("A draw from an empty stock"), Play.replay(self.deal, EASY, "d" * 16), "d", None),
            (_("An empty column"), self._after(len(LINE) - 4), "4", None),
        ]
        return [
            Refused(refusal.code, what, prose.refusal_text(refusal, play.rules))
            for what, play, action, row in tried
            if (refusal := _refusal(play, action, row)) is not None
        ]

    @property
    def refused_card(self) -> str:
        """The text of the card of the first example."""
        return card_text(self.deal.columns[0][-1])

    @property
    def fits(self) -> list[dict[str, Any]]:
        """What fits on each rank, under each named rule set."""
        tables = [rules.table() for rules in (EASY, CLASSIC, STRICT)]
        return [
            {
                "rank": words.rank_index(waste),
                "fits": [
                    {
                        "ranks": [words.rank_index(card) for card in table[waste] if card in RANKS],
                        "differs": table[waste] != tables[0][waste],
                    }
                    for table in tables
                ],
            }
            for waste in RANKS
        ]

    @property
    def names(self) -> list[str]:
        """The names of the named rule sets."""
        return [words.rules_name(rules) for rules in (EASY, CLASSIC, STRICT)]

    @property
    def fields(self) -> list[dict[str, Any]]:
        """The fields of one's own rules, each with its values; the first value is Easy's."""
        fields: list[Any] = [RuleSetForm.base_fields[name] for name in RuleSetForm.RULE_FIELDS]
        return [
            {"label": field.label, "values": [label for _value, label in field.choices]}
            for field in fields
        ]

    @property
    def scores(self) -> list[dict[str, int]]:
        """The app score of games that end after so many cards."""
        tableau = self.counts["tableau"]
        return [
            {
                "cleared": cleared,
                "left": tableau - cleared,
                "score": scoring.app_score(cleared, tableau - cleared, stopped=cleared < tableau),
                "strokes": scoring.strokes(tableau - cleared),
                "to_par": scoring.strokes(tableau - cleared) - PAR,
            }
            for cleared in _ENDS
        ]

    @property
    def two_cards(self) -> list[dict[str, Any]]:
        """Two players' strokes and points over two holes, in opposite order."""
        tableau = self.counts["tableau"]
        return [
            {
                "holes": lefts,
                "strokes": sum(map(scoring.strokes, lefts)),
                "scores": [
                    scoring.app_score(tableau - left, left, stopped=left > 0) for left in lefts
                ],
                "score": sum(
                    scoring.app_score(tableau - left, left, stopped=left > 0) for left in lefts
                ),
            }
            for lefts in _TWO_CARDS
        ]

    @property
    def streak(self) -> list[Step]:
        """The moves by which the streak score is shown."""
        return list(self._steps(STREAK_MOVES))

    @property
    def streak_figures(self) -> dict[str, int]:
        """The figures after those moves."""
        return self._after(STREAK_MOVES).figures()

    def _steps(self, moves: int) -> Iterator[Step]:
        play = self._after(0)
        for number, action in enumerate(LINE[:moves], 1):
            before = play.figures()["streak_score"]
            play.act(action)
            total = play.figures()["streak_score"]
            card = "" if play.waste is None else card_text(play.waste)
            yield Step(number, action, card, play.streak, total - before, total, play.left)

    @property
    def typed(self) -> list[tuple[str, str]]:
        """Codes as people type them, and what they are read as."""
        return [(text, GameCode.parse(text).text) for text in _TYPED]

    @property
    def same_deal(self) -> list[str]:
        """The codes of the published deal under the named rule sets."""
        number = GameCode.parse(CODE).number
        return [
            GameCode(version=1, rules=rules, number=number).text
            for rules in (EASY, CLASSIC, STRICT)
        ]

    @property
    def table(self) -> list[Standing[str]]:
        """A closed tournament with a tie, a card that was not finished and one not begun."""
        lines = [
            Line(
                name,
                tuple(
                    # Only the total matters: the first hole has all that is over or under.
                    HoleScore(number, PAR, PAR + (to_par if number == 1 else 0), 0)
                    for number in range(1, thru + 1)
                ),
                name=name,
            )
            for name, thru, to_par in _FIELD
        ]
        holes = tuple(Hole(number, PAR) for number in range(1, HOLES + 1))
        return rank(lines, Terms(holes, closed=True))

    @property
    def race_margin(self) -> int:
        """By how many ms a race has to be finished earlier to be won by it."""
        return RACE_MARGIN_MS

    @property
    def settled_races(self) -> int:
        """How many races settle a rating."""
        return SETTLED_RACES

    @property
    def race(self) -> list[dict[str, Any]]:
        """A race of one hole, ranked by strokes and then by time."""
        times = {name: time_ms for name, _strokes, time_ms in _RACE}
        lines = [
            Line(name, (HoleScore(1, PAR, strokes, 0, time_ms),), name=name)
            for name, strokes, time_ms in _RACE
        ]
        terms = Terms((Hole(1, PAR),), tie_break=TieBreak.RACE, closed=True)
        return [
            {"standing": each, "seconds": f"{times[each.key] / 1000:.3f}"}
            for each in rank(lines, terms)
        ]

    @property
    def stableford(self) -> list[tuple[int, int]]:
        """Strokes of a hole, and the points that they are worth."""
        return [(strokes, stableford_points(PAR, strokes)) for strokes in range(PAR + 4)]

    @property
    def handicap(self) -> dict[str, SafeString | int]:
        """An example of a club handicap: rounds, what they make, and what it takes off."""
        tenths = club_handicap(_ROUNDS) or 0
        return {
            "rounds": format_html_join(", ", "{}", ((against_par(each),) for each in _ROUNDS)),
            "handicap": format_html('<bdi dir="ltr">{}.{}</bdi>', *divmod(tenths, 10)),
            "strokes": handicap_strokes(tenths, HOLES),
        }

    @property
    def spoken(self) -> str:
        """The position after the opening as it is read out."""
        return prose.board_text(self.opened)

    @property
    def keys(self) -> list[tuple[str, str]]:
        """The keys of the board, and what they do."""
        return [
            ("1–7", _("play the free card of a column")),
            (_("Space"), _("draw")),
            ("U", _("undo")),
            ("H", _("hint")),
            ("R", _("same cards again")),
            ("?", _("this list")),
        ]


def _refusal(play: Play, action: str, row: int | None = None) -> Refusal | None:
    """Return why the engine refuses an action; None when it does not."""
    try:
        play.act(action, row)
    except Refusal as refusal:
        return refusal
    return None

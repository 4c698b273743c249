"""Who knows the stock is found out, and who does not is not, however well he plays."""

import doctest
import io
import json
import random
from pathlib import Path

import pytest

from games.engine import GameCode, Play, RuleSet
from tournaments import foresight
from tournaments.foresight import Played, look

from . import players

STRICT = RuleSet.parse("S")
#: Nines of a planner, recorded since one takes minutes: `python -m tests.tournaments.players`.
PLANNED = [
    [Played(*game) for game in json.loads(line)]
    for line in (Path(__file__).parent / "planned_games.jsonl").read_text().splitlines()
]


def nine(player: players.Player, rules: RuleSet, seed: int) -> list[Played]:
    chance = random.Random(seed)
    games = []
    for _ in range(9):
        code = GameCode.secret(rules, chance.getrandbits(128))
        games.append(Played(code.text, player(code, chance)))
    return games


def test_the_example_holds() -> None:
    tried = doctest.run_docstring_examples
    assert tried is not None
    assert doctest.testmod(foresight).failed == 0


class TestReaders:
    """Nine holes where the stock helps least, by Strict rules; fewer by the others."""

    @pytest.mark.parametrize("seed", range(5))
    def test_who_knows_the_stock_is_flagged_within_nine_holes(self, seed: int) -> None:
        found = look(nine(players.reader, STRICT, seed))
        assert found is not None
        assert found.is_flagged
        assert (found.holes, found.costly) == (9, 0)

    @pytest.mark.parametrize("rules", ["E", "C", "S"])
    def test_so_is_who_plays_what_a_solver_says(self, rules: str) -> None:
        found = look(nine(players.line, RuleSet.parse(rules), 5)[:4])
        assert found is not None
        assert found.is_flagged


class TestHonestPlayers:
    def test_at_most_one_in_a_hundred_of_two_hundred_is_flagged(self) -> None:
        """Each of them plays other deals; most leave so much that nobody need look."""
        flagged = looked_at = 0
        nines = [
            nine(players.BOTS[name], STRICT, 1000 * at + seed)
            for at, name in enumerate(players.BOTS)
            for seed in range((200 - len(PLANNED)) // len(players.BOTS) + 1)
        ] + PLANNED
        assert len(nines) >= 200
        for games in nines:
            found = look(games)
            looked_at += found is not None
            flagged += found is not None and found.is_flagged
        assert looked_at > 10  # the planners, or the test would say nothing
        assert flagged <= 2

    def test_planners_are_as_good_as_they_are_said_to_be(self) -> None:
        """The record is what a planner plays."""
        strict = [games for games in PLANNED if games[0].code.startswith("GO2-S-")]
        chance = random.Random("S planner 0")
        code = GameCode.secret(STRICT, chance.getrandbits(128))
        assert strict[0][0] == Played(code.text, players.planner(code, chance))
        left = [
            Play.replay(GameCode.parse(code).deal(), STRICT, actions, undo=False).left
            for games in strict
            for code, actions in games
        ]
        assert sum(left) / len(left) < 7  # the best of the bots leaves more than nine

    @pytest.mark.parametrize("name", ["longest_run", "patient", "lowest_column", "at_random"])
    def test_choices_cost_as_often_as_in_other_orders(self, name: str) -> None:
        """That is what it all rests on; also for those who play badly."""
        costly, expected = 0, 0.0
        for seed in range(4):
            found = look(nine(players.BOTS[name], STRICT, 77 + seed), spare=False)
            assert found is not None
            costly += found.costly
            expected += found.expected
        # The variance of a sum of rare events is below its mean; three deviations are allowed.
        assert abs(costly - expected) < 3 * expected**0.5
        assert expected > 40

    @pytest.mark.parametrize("games", PLANNED[:4])
    def test_also_of_planners(self, games: list[Played]) -> None:
        found = look(games, spare=False)
        assert found is not None
        assert found.chance > 1 / 100


class TestWhatIsLookedAt:
    def test_the_same_games_give_the_same_answer(self) -> None:
        games = nine(players.line, STRICT, 3)[:2]
        assert look(games, spare=False) == look(games, spare=False)

    def test_who_has_undone_something_has_seen_hidden_cards(self) -> None:
        games = nine(players.line, STRICT, 3)
        undone = [game._replace(actions=f"{game.actions[0]}u{game.actions}") for game in games]
        assert look(undone) is None
        found = look([*undone[:5], *games[5:]])
        assert found is not None
        assert found.holes == 4

    def test_who_leaves_many_cards_needs_no_look(self) -> None:
        games = nine(players.BOTS["lowest_column"], STRICT, 4)
        assert foresight.is_spared(games)
        assert look(games) is None
        assert look(games, spare=False) is not None

    def test_what_was_forced_is_no_choice(self) -> None:
        code = GameCode.secret(STRICT, 5)
        forced = 0
        play = Play(code.deal(), STRICT, undo=False)
        while not play.final:
            legal = play.legal()
            forced += len(legal) == 1
            play.act(legal[0])
        found = look([Played(code.text, play.journal)], spare=False)
        assert found is not None
        assert forced > 0
        assert found.choices <= play.journal.count("d") + 1

    def test_hints_are_no_foresight_and_the_deadline_is_no_choice(self) -> None:
        code = GameCode.secret(STRICT, 5)
        whole = players.line(code, random.Random(1))
        first = look([Played(code.text, whole)], spare=False)
        hinted = look([Played(code.text, "h" + whole)], spare=False)
        assert first is not None
        assert hinted is not None
        assert (first.choices, first.costly) == (hinted.choices, hinted.costly)
        closed = look([Played(code.text, whole[:-1] + "c")], spare=False)
        assert closed is not None
        assert closed.choices in (first.choices - 1, first.choices)

    def test_giving_up_too_early_costs(self) -> None:
        code = GameCode.secret(STRICT, 5)
        found = look([Played(code.text, "g")], spare=False)
        assert found is not None
        assert (found.choices, found.costly, found.expected, found.chance) == (1, 1, 1.0, 1.0)

    def test_where_all_can_be_cleared_the_stock_tells(self) -> None:
        """With two jokers hardly any choice costs a card of the columns."""
        rules = RuleSet.parse("XLQA2D")
        found = look(nine(players.line, rules, 5)[:4])
        assert found is not None
        assert found.is_flagged
        assert found.counts_stock

    def test_nothing_played_is_nothing_to_see(self) -> None:
        assert look([]) is None
        assert look([], spare=False) is None
        assert look([Played(GameCode.secret(STRICT, 5).text, "c")], spare=False) is None

    @pytest.mark.parametrize("game", [Played("GO3", "d"), Played("GO1-S-AAAAAAB", "9")])
    def test_what_is_no_game_is_refused(self, game: Played) -> None:
        with pytest.raises(ValueError, match=r"GO1 or GO2|column"):
            look([game])


def test_line_by_line(capsys: pytest.CaptureFixture[str]) -> None:
    code = GameCode.secret(STRICT, 5)
    games = [Played(code.text, players.line(code, random.Random(1)))]
    found = look(games)
    asked = [json.dumps(games), "[]", json.dumps([["GO3", "d"]])]
    output = io.StringIO()
    foresight.main(asked, output)
    first, second, third = output.getvalue().splitlines()
    assert found is not None
    assert foresight.Found(**json.loads(first)) == found
    assert (second, third) == ("null", "null")
    assert capsys.readouterr().err == (
        "A round could not be looked at: a code starts with GO1 or GO2\n"
    )

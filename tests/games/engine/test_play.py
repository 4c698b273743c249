import json
import pickle
from pathlib import Path

import pytest

from games import engine
from games.engine import (
    REFUSALS,
    Deal,
    DealError,
    GameCode,
    Play,
    Refusal,
    RuleError,
    RuleSet,
    UnknownAction,
    card_text,
    cards_text,
    parse_cards,
)

PUBLISHED = json.loads((Path(__file__).parent / "vectors" / "published_deal.json").read_text())
EMPTY_COLUMNS = "/-/-/-/-/-/-"


def published(rules="E", actions="", **options):
    code = GameCode.parse(f"GO1-{rules}-AAAAAAB")
    return Play.replay(code.deal(), code.rules, actions, **options)


def refused(play, action, row=None):
    """The refusal of an action, after a look that nothing has changed."""
    before = snapshot(play)
    with pytest.raises(Refusal) as caught:
        play.act(action, row)
    assert snapshot(play) == before
    return caught.value


def snapshot(play):
    return (
        play.text,
        play.state,
        play.final,
        play.legal(),
        play.figures(),
        play.streak,
        play.journal,
        play.turn,
        play.last_hint,
    )


class TestPublishedDeal:
    line = PUBLISHED["line"].split()

    def test_no_free_card_fits_at_the_start(self):
        assert published().legal() == "d"

    def test_the_published_opening(self):
        play = published(actions="d52")
        assert (card_text(play.waste), play.stock_left) == ("8C", 15)

    def test_the_published_position_before_move_35(self):
        play = published(actions=self.line[:34])
        assert (play.cleared, 16 - play.stock_left, play.stock_left) == (24, 10, 6)
        assert card_text(play.waste) == "KC"
        assert [len(column) for column in play.columns] == [2, 1, 2, 1, 1, 2, 2]

    def test_move_35_is_an_ace_on_a_king(self):
        before = published(actions=self.line[:34])
        assert (self.line[34], card_text(before.columns[2][-1])) == ("3", "AH")
        before.act("3")
        assert card_text(before.waste) == "AH"
        position = published(actions=self.line[:34]).deal
        refusal = refused(Play(position, RuleSet.parse("C")), "3")
        assert (type(refusal), refusal.params["waste"]) == (engine.NotAdjacent, "KC")

    def test_the_line_wins(self):
        play = published(actions=self.line)
        assert (play.state, play.final, play.legal()) == ("won", True, "")
        assert (play.app_score, play.strokes, play.strokes_below_par) == (350, 0, -3)


class TestEnds:
    def test_won_whatever_is_left_in_the_stock(self):
        play = Play.from_text(f"E 2S{EMPTY_COLUMNS} AC 8S5H9D")
        play.act("1")
        assert (play.state, play.final, play.strokes_below_par) == ("won", True, -3)
        assert refused(play, "u").params == {"state": "won"}

    def test_a_block_can_be_undone_until_it_is_accepted(self):
        play = Play.from_text(f"E 9S2S{EMPTY_COLUMNS} AC 5H")
        play.act("1")
        assert (play.state, play.final, play.left) == ("playing", False, 1)
        play.act("d")
        assert (play.state, play.final, play.legal(), play.app_score) == (
            "blocked",
            False,
            "",
            330,
        )
        assert refused(play, "d").code == "stock_empty"
        assert refused(play, "1").code == "not_adjacent"
        assert refused(play, "2").code == "empty_column"
        assert refused(play, "h").code == "no_hint"
        play.act("u")
        assert (play.state, play.legal(), play.app_score) == ("playing", "d", 340)
        play.act("d")
        play.act("g")
        assert (play.state, play.final, play.app_score) == ("blocked", True, 330)
        for action in "1duhg089":
            assert refused(play, action).params == {"state": "blocked"}

    def test_a_block_is_final_where_undo_is_off(self):
        play = Play.from_text(f"E 2S{EMPTY_COLUMNS} 5C 8S", undo=False)
        play.act("d")
        assert (play.state, play.final) == ("blocked", True)
        assert refused(play, "u").code == "game_over"

    @pytest.mark.parametrize(("end", "state"), [("g", "given_up"), ("c", "closed")])
    def test_giving_up_and_closing_cost_what_a_block_costs(self, end, state):
        play = published(actions=[*PUBLISHED["line"].split()[:34], end])
        assert (play.state, play.final, play.legal()) == (state, True, "")
        assert (play.cleared, play.left, play.app_score, play.strokes) == (24, 11, 130, 11)
        for action in "1duhg0":
            assert refused(play, action).params == {"state": state}
        with pytest.raises(engine.GameOver):
            play.close()

    def test_an_early_end_never_falls_below_zero(self):
        assert published(actions="d52g").app_score == 0

    def test_a_block_may_still_be_closed(self):
        play = Play.from_text(f"E 2S{EMPTY_COLUMNS} 5C 8S")
        play.act("d")
        play.close()
        assert (play.state, play.final, play.app_score, play.journal) == (
            "closed",
            True,
            330,
            "dc",
        )

    def test_a_game_may_start_at_its_end(self):
        assert Play.from_text("E -/-/-/-/-/-/- AC 8S").state == "won"
        assert Play.from_text(f"E 5S{EMPTY_COLUMNS} AC -").state == "blocked"


class TestRefusals:
    def test_not_adjacent(self):
        refusal = refused(published(), "1")
        assert (refusal.code, refusal.params) == (
            "not_adjacent",
            {"card": "6H", "column": 1, "waste": "AC", "fits": ["2", "K"]},
        )

    def test_covered(self):
        refusal = refused(published(), "1", 4)
        assert (refusal.code, refusal.params) == (
            "covered",
            {"card": "TS", "column": 1, "row": 4, "by": ["6H"]},
        )
        assert refused(published(), "1", 2).params["by"] == ["QS", "TS", "6H"]

    def test_played_cards_cover_nothing(self):
        assert refused(published(actions="d5"), "5", 2).params["by"] == ["7D", "8H"]

    def test_the_row_of_the_free_card_is_the_free_card(self):
        play = published(actions="d")
        play.act("5", 5)
        assert card_text(play.waste) == "9C"
        assert refused(play, "5", 5).params == {"column": 5, "row": 5}

    def test_a_free_row_that_does_not_fit(self):
        assert refused(published(), "1", 5).code == "not_adjacent"

    @pytest.mark.parametrize(("rules", "fits"), [("S", []), ("XLAA1D", ["A"]), ("XAAA0D", [])])
    def test_king_blocks_whatever_the_rank(self, rules, fits):
        for card in ("QS", "7S", "*"):
            play = Play.from_text(f"{rules} {card}{EMPTY_COLUMNS} KC 8S")
            refusal = refused(play, "1")
            assert (refusal.code, refusal.params) == (
                "king_blocks",
                {"card": card, "column": 1, "waste": "KC", "fits": fits},
            )

    def test_a_classic_king_is_not_adjacent(self):
        refusal = refused(Play.from_text(f"C AS{EMPTY_COLUMNS} KC 8S"), "1")
        assert (refusal.code, refusal.params["fits"]) == ("not_adjacent", ["Q"])

    def test_must_play(self):
        play = Play.from_text("S 5S/7S/5H/-/-/-/- 6C 8S")
        refusal = refused(play, "d")
        assert (refusal.code, refusal.params) == (
            "must_play",
            {"plays": "123", "cards": ["5S", "7S", "5H"]},
        )

    def test_an_empty_stock_comes_before_must_play(self):
        assert refused(Play.from_text("S 5S/7S/5H/-/-/-/- 6C -"), "d").code == "stock_empty"

    @pytest.mark.parametrize("action", ["0", "8", "9"])
    def test_no_such_column(self, action):
        assert refused(published(), action).params == {"column": int(action)}

    def test_empty_column(self):
        play = Play.from_text(f"E 5S{EMPTY_COLUMNS} 6C 8S")
        assert refused(play, "7").params == {"column": 7}
        assert refused(play, "7", 1).params == {"column": 7, "row": 1}

    def test_what_is_off(self):
        play = published(actions="d", undo=False, hints=False)
        assert (refused(play, "u").code, refused(play, "h").code) == ("undo_off", "hint_off")

    def test_nothing_to_undo(self):
        assert refused(published(), "u").params == {"limit": 100}
        assert refused(published(actions="du"), "u").code == "nothing_to_undo"
        assert refused(published(actions="d", undo_limit=0), "u").params == {"limit": 0}

    @pytest.mark.parametrize("action", ["", "c", "x", "10", "12", "D", "\uff15", " 1", "du", "-1"])
    def test_what_is_no_action_at_all(self, action):
        play = published()
        before = snapshot(play)
        with pytest.raises(UnknownAction):
            play.act(action)
        assert snapshot(play) == before

    @pytest.mark.parametrize(("action", "row"), [("1", 0), ("1", 6), ("1", True), ("d", 1)])
    def test_what_is_no_row(self, action, row):
        with pytest.raises(UnknownAction):
            published().act(action, row)

    def test_the_documented_order(self):
        assert " ".join(refusal.code for refusal in REFUSALS) == (
            "not_started closed stale_turn game_over undo_off hint_off no_such_column empty_column"
            " covered king_blocks not_adjacent stock_empty must_play nothing_to_undo no_hint"
        )
        assert set(REFUSALS) == set(Refusal.__subclasses__())

    def test_a_covered_card_is_covered_also_on_a_king(self):
        play = Play.from_text(f"S 5S7H{EMPTY_COLUMNS} KC 8S")
        assert (refused(play, "1", 1).code, refused(play, "1").code) == ("covered", "king_blocks")

    def test_a_refusal_is_a_value_error_that_can_be_pickled(self):
        refusal = pickle.loads(pickle.dumps(refused(published(), "1")))
        assert isinstance(refusal, ValueError)
        assert (type(refusal), refusal.params["card"]) == (engine.NotAdjacent, "6H")
        assert str(refusal) == "the card is not one rank above or below the waste card"


class TestUndo:
    def test_the_counters_that_never_fall(self):
        play = published(actions="d52uuhd")
        figures = play.figures()
        assert (figures["moves"], figures["undos"], figures["hints"]) == (4, 2, 1)
        assert (play.turn, play.journal) == (7, "d52uuhd")

    def test_undo_gives_back_cards_score_and_streak(self):
        play = published(actions="d52")
        assert (play.app_score, play.streak, play.streak_score) == (20, 2, 30)
        play.act("u")
        assert (play.app_score, play.streak, play.streak_score) == (10, 1, 10)
        play.act("d")
        assert play.streak == 0
        play.act("u")
        assert (play.streak, play.longest_streak, play.text) == (1, 1, published(actions="d5").text)

    def test_a_limit_of_three(self):
        play = published(actions="d52dd", undo_limit=3)
        for text in ("d52d", "d52", "d5"):
            play.act("u")
            assert play.text == published(actions=text).text
        assert refused(play, "u").params == {"limit": 3}
        play.act("d")
        play.act("u")
        assert refused(play, "u").code == "nothing_to_undo"

    def test_a_limit_below_zero(self):
        with pytest.raises(ValueError, match="non-negative"):
            published(undo_limit=-1)


class TestEmptyWaste:
    def test_the_first_card_is_any_free_card_or_a_draw(self):
        play = published("XLQA0E")
        assert (play.waste, play.stock_left, play.legal()) == (None, 17, "1234567d")
        play.act("1")
        assert (card_text(play.waste), play.cleared, play.streak) == ("6H", 1, 1)
        play.act("u")
        assert (play.waste, play.legal()) == (None, "1234567d")
        play.act("d")
        assert card_text(play.waste) == "AC"

    def test_a_strict_player_may_not_draw_first(self):
        play = published("XANW0E")
        assert play.legal() == "1234567"
        assert refused(play, "d").code == "must_play"


def test_jokers_fit_everywhere_but_on_a_restricted_king():
    play = Play.from_text("XLQA2D 5S*/7S*/-/-/-/-/- KC 8S")
    play.act("1")
    assert play.legal() == "12d"
    play.act("2")
    play.act("1")
    assert card_text(play.waste) == "5S"


def test_a_run_may_turn_and_go_round():
    play = Play.from_text("E 2SAS/QS/KS/8S/7S/8H/- JC -")
    for action in "231":
        play.act(action)
    assert card_text(play.waste) == "AS"
    turning = Play.from_text("E 8S/7S/8H/9H/-/-/- 9C -")
    for action in "1234":
        turning.act(action)
    assert (turning.state, turning.streak_score, turning.longest_streak) == ("won", 100, 4)


def test_hints_are_counted_only_when_there_is_one():
    play = published(actions="d")
    assert (play.last_hint, play.hints) == (None, 0)
    play.act("h")
    assert (play.last_hint, play.hints, play.turn, play.moves) == ("5", 1, 2, 1)
    play.act("5")
    assert play.last_hint == "5"


def test_replay_refuses_what_could_not_have_been_accepted():
    with pytest.raises(engine.NotAdjacent):
        published(actions="1")
    with pytest.raises(engine.UndoOff):
        published(actions="du", undo=False)
    with pytest.raises(engine.GameOver):
        published(actions="gc")
    with pytest.raises(UnknownAction):
        published(actions="d 5")


def test_a_position_is_read_back_from_its_text():
    play = published("XANW2E", "12")
    again = Play.from_text(play.text)
    assert again.text == play.text
    assert (again.legal(), again.cleared, again.app_score) == (play.legal(), 2, 20)
    assert (again.moves, again.streak) == (0, 0)


@pytest.mark.parametrize(
    ("text", "error"),
    [("", DealError), ("E", DealError), ("Q -/-/-/-/-/-/- AC -", RuleError), ("E x", DealError)],
)
def test_other_texts_are_no_positions(text, error):
    with pytest.raises(error):
        Play.from_text(text)


def test_the_representation_shows_no_card():
    assert (
        repr(published(actions="d5")) == "<Play E playing, turn 2, 34 cards left, 15 in the stock>"
    )


def test_figures_are_exactly_what_is_kept():
    assert published(actions="d52h").figures() == {
        "cleared": 2,
        "left": 33,
        "stock_left": 15,
        "moves": 3,
        "undos": 0,
        "hints": 1,
        "app_score": 20,
        "strokes": 33,
        "strokes_below_par": 33,
        "streak_score": 30,
        "longest_streak": 2,
    }


def test_games_share_nothing():
    one, two = published(), published()
    one.act("d")
    assert (one.turn, two.turn, two.stock_left) == (1, 0, 16)
    assert two.deal == GameCode.parse("GO1-E-AAAAAAB").deal()
    assert isinstance(two.deal, Deal)
    assert cards_text(two.columns[0]) == PUBLISHED["columns"][0]
    assert parse_cards(PUBLISHED["stock"]) == two.deal.stock


def test_everything_public_is_there():
    assert all(hasattr(engine, name) for name in engine.__all__)
    assert {refusal.__name__ for refusal in REFUSALS} <= set(engine.__all__)

from games.engine import BoardProse, ColumnProse, GameCode, Play, describe, english


def test_the_published_board():
    code = GameCode.parse("GO1-E-AAAAAAB")
    board = describe(Play.replay(code.deal(), code.rules, "d52"))
    assert (board.stock, board.waste) == (15, "8C")
    assert board.columns[1] == ColumnProse(2, ("2S", "KC", "4S", "2C"))
    assert (board.columns[1].free, board.columns[1].count) == ("2C", 4)
    text = english(board)
    assert text.startswith(
        "Stock: 15 cards; waste: 8 of clubs. Column 1: 6 of clubs, 5 of spades, queen of spades, "
        "10 of spades, 6 of hearts (free: 6 of hearts); column 2: 2 of spades, king of clubs, "
    )
    assert text.endswith("5 of clubs (free: 5 of clubs).")


def test_empty_places_and_jokers():
    board = describe(Play.from_text("XLQA1E */-/-/-/-/-/JD - 8S"))
    assert board.columns[1] == ColumnProse(2, ())
    assert (board.columns[1].free, board.columns[1].count, board.waste) == (None, 0, None)
    assert english(board) == (
        "Stock: 1 card; waste: empty. Column 1: joker (free: joker); column 2: empty; "
        "column 3: empty; column 4: empty; column 5: empty; column 6: empty; "
        "column 7: jack of diamonds (free: jack of diamonds)."
    )


def test_the_hidden_stock_is_a_count():
    one = describe(Play.from_text("E 5S/-/-/-/-/-/- 6C KCQC"))
    other = describe(Play.from_text("E 5S/-/-/-/-/-/- 6C 2D3D"))
    assert one == other
    assert isinstance(one, BoardProse)

"""What holds for every game, whatever is played."""

from hypothesis import given, settings
from hypothesis import strategies as st

from games.engine import Deal, GameCode, Play, Refusal, RuleSet, hint
from games.engine.scoring import app_score, standing, streaks
from tests.games.engine import reference
from tests.games.engine.test_rules import MIXES

# What may differ after an action and its undo: the counters that never fall, and the record.
NEVER_FALL = {"_moves", "_undos", "_hints", "_journal", "_hint_at"}

rule_sets = st.sampled_from(MIXES).map(RuleSet.from_fields)


@st.composite
def games(draw, actions="dddddd1234567123456712345671234567uhg089", **options):
    """A game in which a few dozen actions were tried."""
    rules = draw(rule_sets)
    play = Play(GameCode(1, rules, draw(st.integers(0, 26**7 - 1))).deal(), rules, **options)
    for action in draw(st.lists(st.sampled_from(actions), max_size=80)):
        try_out(play, action)
    return play


def try_out(play, action):
    try:
        play.act(action)
    except Refusal:
        return False
    return True


def state(play):
    """Every field, copied."""
    return {name: copied(getattr(play, name)) for name in Play.__slots__}


def copied(value):
    return tuple(value) if hasattr(value, "append") else value


def without(fields, names):
    return {name: value for name, value in fields.items() if name not in names}


@given(games("dd1234567123456712345671234567u"), st.sampled_from("1234567d"))
@settings(max_examples=300)
def test_apply_then_undo_is_exact(play, action):
    before = state(play)
    if not try_out(play, action) or play.final:
        return
    play.act("u")
    assert without(state(play), NEVER_FALL) == without(before, NEVER_FALL)
    assert (play.moves, play.undos) == (before["_moves"] + 1, before["_undos"] + 1)
    assert play.journal == "".join(before["_journal"]) + action + "u"


@given(games("ddd1234567123456712345671234567"))
def test_undoing_everything_leads_back_to_the_deal(play):
    rules, actions = play.rules, play.journal
    if play.final:
        return
    for _ in actions:
        play.act("u")
    start = Play.from_text(play.text)
    assert (start.cleared, start.rules) == (0, rules)
    assert play.streak == play.streak_score == play.longest_streak == play.app_score == 0
    assert (play.moves, play.undos) == (len(actions), len(actions))


@given(games(), st.sampled_from("1234567duhg089"), st.none() | st.integers(1, 5))
@settings(max_examples=300)
def test_a_refusal_changes_nothing(play, action, row):
    before = state(play)
    try:
        play.act(action, row if action.isdigit() else None)
    except Refusal:
        assert state(play) == before


@given(games(), st.sampled_from("1234567d"))
def test_an_action_is_legal_exactly_if_it_is_accepted(play, action):
    legal = action in play.legal()
    assert try_out(play, action) == legal


@given(games())
def test_no_legal_action_means_an_end(play):
    columns = [column for column in play.columns if column]
    fits = any(play.rules.fits(column[-1], play.waste) for column in columns)
    assert (play.state == "won") == (not columns)
    stuck = bool(columns) and not fits and not play.stock_left
    if play.state != "given_up":
        assert (play.state == "blocked") == stuck
        assert (play.legal() == "") == (play.state != "playing")
    assert list(play.legal()) == sorted(play.legal())


@given(games())
def test_figures_from_the_journal_equal_those_kept(play):
    stands = standing(play.journal)
    cleared = sum(action != "d" for action in stands)
    stopped = play.state in ("blocked", "given_up")
    assert play.cleared == cleared
    assert play.app_score == app_score(cleared, 35 - cleared, stopped=stopped)
    assert (play.streak_score, play.longest_streak) == streaks(play.journal)
    assert streaks(play.journal) == reference.streaks(stands)
    assert play.moves == sum(action in "1234567d" for action in play.journal)
    assert play.undos == play.journal.count("u")
    assert play.hints == play.journal.count("h")
    assert play.turn == len(play.journal)
    assert play.stock_left == len(play.deal.stock)
    assert play.strokes == sum(map(len, play.columns))


@given(
    rule_sets, st.integers(0, 26**7 - 1), st.lists(st.sampled_from("ddd1234567uhg"), max_size=80)
)
def test_a_journal_replays_to_the_same_game(rules, number, actions):
    deal = GameCode(1, rules, number).deal()
    play = Play(deal, rules)
    for action in actions:
        try_out(play, action)
    if not play.final:
        play.close()
    again = Play.replay(deal, rules, play.journal)
    assert state(again) == state(play)


@given(games("ddd1234567123456712345671234567"), st.randoms())
def test_the_order_of_the_stock_changes_only_what_is_drawn(play, random):
    deal = play.deal
    stock = list(deal.stock)
    random.shuffle(stock)
    other = Play(Deal(deal.columns, deal.waste, tuple(stock)), play.rules)
    same = Play(deal, play.rules)
    while True:
        assert other.legal() == same.legal()
        assert other.figures() == same.figures()
        assert other.columns == same.columns
        assert (other.waste, other.state) == (same.waste, same.state)
        plays = same.legal().rstrip("d")
        if not plays:
            break
        same.act(plays[0])
        other.act(plays[0])
    if same.legal() == "d":
        same.act("d")
        other.act("d")
        assert (same.waste, other.waste) == (deal.stock[0], stock[0])


@given(games("dd1234567123456712345671234567u", undo_limit=3))
def test_a_limit_of_three_undoes_the_last_three(play):
    can_be_undone = []
    for action in play.journal:
        if action == "u":
            can_be_undone.pop()
        else:
            can_be_undone = [*can_be_undone, action][-3:]
    if play.final:
        return
    moves = play.moves
    undone = 0
    while try_out(play, "u"):
        undone += 1
    assert (undone, play.moves) == (len(can_be_undone), moves)


@given(games("ddd1234567123456712345671234567"))
def test_a_hint_is_a_legal_action_and_exists_when_there_is_one(play):
    named = hint(play.rules, play.columns, play.waste, play.stock_left)
    if play.state == "won":
        return
    assert (named is None) == (play.legal() == "")
    if named is not None:
        assert (named in play.legal()) or (named == "d" and play.legal() == "d")
        play.act("h")
        assert play.last_hint == named


@given(games())
def test_a_position_is_read_back(play):
    again = Play.from_text(play.text)
    assert again.text == play.text
    if play.state != "given_up":
        assert (again.state, again.legal(), again.app_score) == (
            play.state,
            play.legal(),
            play.app_score,
        )

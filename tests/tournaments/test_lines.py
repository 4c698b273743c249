"""The tree of a field's lines: nobody is lost, and it parts exactly where they do."""

from hypothesis import given
from hypothesis import strategies as st

from tournaments.lines import tree

lines = st.dictionaries(
    st.integers(1, 40), st.text(alphabet="12d", max_size=8), min_size=1, max_size=25
)


def shared(texts):
    """What all of them begin with."""
    prefix = texts[0]
    while not all(text.startswith(prefix) for text in texts):
        prefix = prefix[:-1]
    return prefix


def walk(branch, before=""):
    path = before + branch.actions
    yield branch, before, path
    for way in branch.ways:
        yield from walk(way, path)


@given(lines)
def test_every_line_is_found_where_it_ends(given_lines):
    root = tree(given_lines, most=10**6)
    ended = {key: path for branch, _, path in walk(root) for key in branch.ends}
    assert ended == given_lines
    assert set(root.keys) == set(given_lines)


@given(lines)
def test_branches_part_where_the_lines_do(given_lines):
    for branch, before, path in walk(tree(given_lines, most=10**6)):
        theirs = [given_lines[key] for key in branch.keys]
        assert shared(theirs) == path
        assert (branch.start, branch.end) == (len(before), len(path))
        on = {key for way in branch.ways for key in way.keys}
        assert on | set(branch.ends) == set(branch.keys)
        assert sum(len(way.keys) for way in branch.ways) + len(branch.ends) == len(branch.keys)
        sizes = [len(way.keys) for way in branch.ways]
        assert sizes == sorted(sizes, reverse=True)
        assert not branch.is_folded
        assert all(way.actions for way in branch.ways)


@given(lines, st.integers(1, 6))
def test_a_folded_tree_says_where(given_lines, most):
    whole = {path: branch for branch, _, path in walk(tree(given_lines, most=10**6))}
    shown = list(walk(tree(given_lines, most=most)))
    # The last one that is unfolded may go over the bound by its own ways.
    assert len(shown) <= most + 3
    for branch, _, path in shown:
        assert branch.keys == whole[path].keys
        assert branch.is_folded == (bool(whole[path].ways) and not branch.ways)


def test_what_most_have_gone_is_unfolded_first():
    given_lines = {1: "1d", 2: "12", 3: "2d", 4: "21", 5: "22"}
    root = tree(given_lines, most=3)
    assert [(way.actions, way.keys, way.is_folded) for way in root.ways] == [
        ("2", (3, 4, 5), True),
        ("1", (1, 2), True),
    ]
    root = tree(given_lines, most=4)
    assert [way.is_folded for way in root.ways] == [False, True]
    assert [way.actions for way in root.ways[0].ways] == ["1", "2", "d"]

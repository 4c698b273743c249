"""A second, independent statement of the rules: slow, plain, written from the rules page.

It imports nothing of the engine. Cards are text, a position is a tuple, nothing is undone.
"""

NEIGHBOURS = "A2 23 34 45 56 67 78 89 9T TJ JQ QK"


def fits(rank, on, *, king_ace, on_king):
    """Whether a card of a rank may be put on a waste of a rank; ``*`` a joker, None empty."""
    if on is None:
        return True
    if on == "K" and on_king == "nothing":
        return False
    if on == "K" and on_king == "ace":
        return rank == "A" and king_ace == "linked"
    if "*" in (rank, on):
        return True
    if {rank, on} == {"K", "A"}:
        return king_ace == "linked"
    return rank + on in NEIGHBOURS or on + rank in NEIGHBOURS


def start(columns, waste, stock):
    """A position of text as the vectors write it."""
    return tuple(tuple(c.split()) for c in columns), waste, tuple(stock.split())


def plays(position, rules):
    """The columns, from 1, whose free card fits."""
    columns, waste, _ = position
    on = None if waste is None else waste[0]
    return [
        number
        for number, column in enumerate(columns, 1)
        if column and fits(column[-1][0], on, king_ace=rules["king_ace"], on_king=rules["on_king"])
    ]


def may_draw(position, rules):
    """Whether the stock may be drawn from."""
    return bool(position[2]) and not (
        rules["draw"] == "when_stuck" and plays(position, rules) != []
    )


def legal(position, rules):
    """The legal actions as the engine spells them; none once the columns are empty."""
    if not any(position[0]):
        return ""
    text = "".join(map(str, plays(position, rules)))
    return text + "d" if may_draw(position, rules) else text


def after(position, action):
    """The position after a legal play or draw."""
    columns, _, stock = position
    if action == "d":
        return columns, stock[0], stock[1:]
    i = int(action) - 1
    return (*columns[:i], columns[i][:-1], *columns[i + 1 :]), columns[i][-1], stock


def count(position, rules, depth):
    """How many sequences of up to this many actions there are, the empty one included."""
    if depth == 0:
        return 1
    return 1 + sum(
        count(after(position, action), rules, depth - 1) for action in legal(position, rules)
    )


def best(position, rules):
    """The most cards cleared of 35 and, if all are, the most left in the stock, else None.

    Every position is looked at.
    """
    todo, seen, results = [position], {position}, []
    while todo:
        position = todo.pop()
        left = sum(map(len, position[0]))
        results.append((35 - left, -1 if left else len(position[2])))
        for action in legal(position, rules):
            reached = after(position, action)
            if reached not in seen:
                seen.add(reached)
                todo.append(reached)
    cleared, stock_left = max(results)
    return cleared, None if cleared < 35 else stock_left


def bests(position, rules):
    """`best` of every position that can be reached from one, by position."""
    todo, ways = [position], {position: ()}
    while todo:
        position = todo.pop()
        reached = [after(position, action) for action in legal(position, rules)]
        ways[position] = reached
        for each in reached:
            if each not in ways:
                ways[each] = ()
                todo.append(each)
    found = {}
    # Whatever is done, fewer cards lie in the columns and the stock afterwards.
    for position in sorted(ways, key=lambda it: sum(map(len, it[0])) + len(it[2])):
        left = sum(map(len, position[0]))
        own = (35 - left, -1 if left else len(position[2]))
        found[position] = max([own, *(found[each] for each in ways[position])])
    return {
        position: (cleared, None if cleared < 35 else stock_left)
        for position, (cleared, stock_left) in found.items()
    }


def streaks(actions):
    """The streak score and the longest streak of plays and draws that stand."""
    runs = [len(run) for run in "".join("d" if a == "d" else "p" for a in actions).split("d")]
    return sum(10 * n for run in runs for n in range(1, run + 1)), max(runs)

"""The lines of a field on one hole as a tree: which way each went, and where they part.

Pure. A line are the plays and draws of a game that stand.
"""

import heapq
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count, takewhile


@dataclass(slots=True)
class Branch:
    """A way that some lines share, up to where they part.

    :param start: how many actions come before it.
    :param actions: what all of them do here.
    :param keys: whose lines they are.
    :param ends: of these, whose line ends with it.
    :param ways: where the others go, the most trodden way first; empty where `is_folded`.
    :param is_folded: whether the ways on are left out.
    """

    start: int
    actions: str
    keys: tuple[int, ...]
    ends: tuple[int, ...] = ()
    ways: list["Branch"] = field(default_factory=list)
    is_folded: bool = False

    @property
    def end(self) -> int:
        """How many actions lead to where it ends."""
        return self.start + len(self.actions)


def tree(lines: Mapping[int, str], *, most: int) -> Branch:
    """Return the lines, by their keys, as a tree of about `most` branches at the most.

    What most have gone is unfolded first.

    >>> found = tree({1: "d52", 2: "d57", 3: "d57d"}, most=10)
    >>> found.actions, [(way.actions, way.keys, way.ends) for way in found.ways]
    ('d5', [('7', (2, 3), (2,)), ('2', (1,), (1,))])
    """
    root = _branch(lines, 0, sorted(lines))
    order = count()
    waiting = [(-len(root.keys), next(order), root)]
    branches = 1
    while waiting:
        *_size, branch = heapq.heappop(waiting)
        if len(branch.keys) == len(branch.ends):
            continue
        if branches >= most:
            branch.is_folded = True
            continue
        branch.ways = _ways(lines, branch)
        branches += len(branch.ways)
        for way in branch.ways:
            heapq.heappush(waiting, (-len(way.keys), next(order), way))
    return root


def _ways(lines: Mapping[int, str], branch: Branch) -> list[Branch]:
    parted: dict[str, list[int]] = defaultdict(list)
    for key in branch.keys:
        if key not in branch.ends:
            parted[lines[key][branch.end]].append(key)
    ways = [_branch(lines, branch.end, keys) for keys in parted.values()]
    return sorted(ways, key=lambda way: (-len(way.keys), way.actions))


def _branch(lines: Mapping[int, str], start: int, keys: list[int]) -> Branch:
    tails = [lines[key][start:] for key in keys]
    first, last = min(tails), max(tails)  # what these two share all share
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    shared = "".join(one for one, _other in same)
    end = start + len(shared)
    return Branch(start, shared, tuple(keys), tuple(key for key in keys if len(lines[key]) == end))

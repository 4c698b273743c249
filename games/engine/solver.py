"""The exact best result of a deal, under any rule set and from any position.

There is no limit and no "unknown": every position that can be reached is looked at. What makes
that quick, with numpy:

- A *configuration* is how many cards are cleared from each column: 6**7 of them, each with a
  number, its *code*. A position is a configuration, the rank on the waste and how many cards were
  drawn.
- Every play clears one more card, so the configurations fall into *levels* by cards cleared, and
  a level needs nothing but its neighbour. A whole level is computed at once.
- For each configuration and waste rank one integer has a bit for each number of cards drawn with
  which that position can be reached. A play keeps those bits. A draw moves them up: by any number
  of places where drawing is free; by one where it is forced, and only from positions in which no
  free card fits.

`solve` goes up through the levels and back along one best line. `solve_line` then goes down
through the same levels once, which gives the best result of every position.

This is the only module of the engine that needs more than the standard library. The package does
not import it, so that a server and ``python -m games.engine play`` start without numpy.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from games.engine.best import Best, Solution
from games.engine.cards import EMPTY_RANK, NO_CARD
from games.engine.deals import COLUMNS, ROWS, TABLEAU, Deal
from games.engine.play import Play
from games.engine.rules import RuleSet

Integers: TypeAlias = NDArray[np.int64]
Masks: TypeAlias = NDArray[np.unsignedinteger[Any]]
Values: TypeAlias = NDArray[np.uint8]

_RANKS: Final = EMPTY_RANK + 1
"""The ranks of a waste, the joker's and that of an empty waste included."""

_NO_RANK: Final = EMPTY_RANK
"""The rank of a free card where there is none: it fits nowhere."""

_DEPTHS: Final = ROWS + 1
_LARGE: Final = 3000
"""From how many configurations on a level may be computed whole."""

_STEPS: Final = tuple(_DEPTHS ** (COLUMNS - 1 - column) for column in range(COLUMNS))
"""What a play from each column adds to the code of a configuration."""


def solve(deal: Deal, rules: RuleSet) -> Solution:
    """The best result of a deal, and one line that reaches it.

    :param deal: the cards as the rule set starts with them, or what is left of them in mid-game.

    >>> from games.engine.deals import GameCode
    >>> code = GameCode.parse("GO1-E-AAAAAAB")
    >>> best = solve(code.deal(), code.rules).best
    >>> best.strokes, best.strokes_below_par, best.app_score
    (0, -7, 350)
    """
    search = _Search(deal, rules)
    return Solution(search.best(), search.line())


def solve_play(play: Play) -> Solution:
    """The best result that plays and draws still reach from where a game stands, and a line.

    Undo is left aside. A game that was given up or closed has the result that it has, and an
    empty line.
    """
    if play.state in _STOPPED:
        return Solution(Best(play.cleared, None), "")
    return solve(play.deal, play.rules)


def solve_line(deal: Deal, rules: RuleSet, actions: Iterable[str]) -> list[Best]:
    """The best result that was still in reach at every position of a game.

    :param deal: the cards that the game started with.
    :param actions: the journal of the game, with undos, hints and its end if it has one.
    :return: one result for the start and one after each action; `solve_play` says what they mean.
    :raises Refusal: if an action is refused: these are not the actions of such a game.
    :raises UnknownAction: if something is not an action.

    >>> from games.engine.deals import GameCode
    >>> code = GameCode.parse("GO1-C-AAAAAAB")
    >>> [best.cleared for best in solve_line(code.deal(), code.rules, "ddu")]
    [34, 34, 33, 34]
    """
    play = Play(deal, rules)
    positions = [_position(play, deal)]
    for action in actions:
        if action == "c":
            play.close()
        else:
            play.act(action)
        positions.append(_position(play, deal))
    end = Best(play.cleared, None) if play.state in _STOPPED else None
    known = _Search(deal, rules).results(positions)
    results = [known[position] for position in positions]
    return results if end is None else [*results[:-1], end]


_STOPPED: Final = ("given_up", "closed")


class _Position(NamedTuple):
    """A position in numbers: its code, the rank on the waste, how many cards were drawn."""

    code: int
    waste: int
    drawn: int


def _position(play: Play, deal: Deal) -> _Position:
    """Where a game stands that started with a deal."""
    return _Position(_code(play.columns), _rank(play.waste), len(deal.stock) - play.stock_left)


def _code(columns: Sequence[Sequence[int]]) -> int:
    return sum(step * (ROWS - len(column)) for step, column in zip(_STEPS, columns, strict=True))


def _rank(waste: int | None) -> int:
    return (NO_CARD if waste is None else waste) >> 2


class _Lattice(NamedTuple):
    """All configurations, the same for every deal.

    :ivar slots: [column, code]: how many cards are cleared from the column, plus 6 for each
        column before it.
    :ivar codes: the codes by level, ascending within one.
    :ivar places: [code]: where it stands within its level.
    :ivar starts: where each level starts in ``codes``, and where the last ends.
    """

    slots: NDArray[np.uint8]
    codes: Integers
    places: Integers
    starts: tuple[int, ...]


@cache
def _lattice() -> _Lattice:
    slots = np.indices((_DEPTHS,) * COLUMNS, np.uint8).reshape(COLUMNS, -1)
    levels = slots.sum(axis=0, dtype=np.uint8)
    codes = np.argsort(levels, kind="stable")
    starts = np.searchsorted(levels[codes], np.arange(TABLEAU + 2))
    places = np.empty_like(codes)
    places[codes] = np.arange(codes.size) - starts[levels[codes]]
    slots += np.arange(0, COLUMNS * _DEPTHS, _DEPTHS).astype(np.uint8)[:, None]
    return _Lattice(slots, codes, places, tuple(starts.tolist()))


def _size(cleared: int) -> int:
    """How many configurations a level has."""
    starts = _lattice().starts
    return starts[cleared + 1] - starts[cleared]


def _codes(cleared: int, places: Integers) -> Integers:
    """The configurations at some places of a level."""
    starts = _lattice().starts
    return _lattice().codes[starts[cleared] : starts[cleared + 1]].take(places)


@cache
def _groups(cleared: int) -> tuple[tuple[int, Integers, Integers], ...]:
    """The plays from the configurations of a level by slot.

    For each slot the places in the level where its card is free, and those in the next level
    where each of these plays leads.
    """
    lattice, codes = _lattice(), _codes(cleared, np.arange(_size(cleared)))
    groups = []
    for column, step in enumerate(_STEPS):
        slots = lattice.slots[column].take(codes)
        for slot in range(column * _DEPTHS, column * _DEPTHS + ROWS):
            sources = (slots == slot).nonzero()[0]
            if sources.size:
                groups.append((slot, sources, lattice.places.take(codes.take(sources) + step)))
    return tuple(groups)


def _kept(is_reached: NDArray[np.bool_]) -> Integers:
    """Of which places of a level the configurations are kept: of those that are reached.

    If these are most of a large level it is kept whole.
    """
    places = is_reached.nonzero()[0]
    if is_reached.size >= _LARGE and 2 * places.size >= is_reached.size:
        return np.arange(is_reached.size)
    return places


class _Level(NamedTuple):
    """What can be reached of one level.

    :ivar cleared: which level it is.
    :ivar codes: the configurations that can be reached, ascending; or all of them, see `_kept`.
    :ivar masks: [waste rank, configuration]: bit d is set if the position can be reached by a
        play with d cards drawn. In the first level it is set for the start.
    """

    cleared: int
    codes: Integers
    masks: Masks

    def number(self, code: int) -> int | None:
        """Which of the configurations has a code, None if it cannot be reached."""
        number = int(self.codes.searchsorted(code))
        return number if number < self.codes.size and self.codes[number] == code else None


class _Search:
    """Every position that can be reached from a deal."""

    def __init__(self, deal: Deal, rules: RuleSet) -> None:
        self._start = _Position(_code(deal.columns), _rank(deal.waste), 0)
        self._fits = rules.masks
        self._forced = rules.draw == "when_stuck"
        self._stock = [card >> 2 for card in deal.stock]
        # The rank of the free card by slot.
        free = np.full((COLUMNS, _DEPTHS), _NO_RANK)
        for column, cards in enumerate(deal.columns):
            for row, card in enumerate(cards):
                free[column, ROWS - 1 - row] = card >> 2
        self._free = free.ravel()
        wastes = {card >> 2 for card in deal.cards()} | {self._start.waste}
        self._runs = tuple(_runs(rules.masks, wastes))
        # The stock of no real deal needs the longer masks.
        dtype = np.uint32 if len(self._stock) < 31 else np.uint64
        self._drawable = dtype((2 << len(self._stock)) - 1)
        # By rank: on which cards of the stock it can be put, and a bit of its own; none for none.
        ranks = range(_NO_RANK)
        self._takers: Masks = np.array([*map(self._takers_of, ranks), 0], dtype)
        self._bits: Masks = np.array([*(1 << rank for rank in ranks), 0], dtype)
        self._fits_by_waste: Masks = np.array(self._fits, dtype)
        self._levels = tuple(self._climb(TABLEAU - deal.left))

    def _takers_of(self, rank: int) -> int:
        return sum(2 << i for i, waste in enumerate(self._stock) if self._fits[waste] >> rank & 1)

    def _climb(self, cleared: int) -> Iterator[_Level]:
        """The levels from the start's to the last that can be reached."""
        codes = np.array([self._start.code])
        masks: Masks = np.zeros((_RANKS, 1), self._bits.dtype)
        masks[self._start.waste] = 1
        while codes.size:
            level = _Level(cleared, codes, masks)
            yield level
            if cleared == TABLEAU:
                return
            if _LARGE <= codes.size == _size(cleared):
                codes, masks = self._play_whole(level)
            else:
                codes, masks = self._play(level)
            cleared += 1

    def _play(self, level: _Level) -> tuple[Integers, Masks]:
        """The configurations and masks of the next level."""
        lattice, size = _lattice(), level.codes.size
        ranks = self._free_ranks(level.codes)
        # [column, configuration] in one row: with how many cards drawn it can be played from.
        played = self._plays(level).take(ranks * size + np.arange(size)).ravel()
        plays = (played != 0).nonzero()[0]
        played = played.take(plays)
        to = lattice.places.take((level.codes + np.array(_STEPS)[:, None]).take(plays))
        is_reached = np.zeros(_size(level.cleared + 1), np.bool_)
        is_reached[to] = True
        places = _kept(is_reached)
        numbers = np.empty(is_reached.size, np.int64)
        numbers[places] = np.arange(places.size)
        masks = np.zeros((_RANKS, places.size), played.dtype)
        row = masks.reshape(-1)
        cells = ranks.take(plays) * places.size + numbers.take(to)
        # Two plays from one column never lead to the same place.
        ends = plays.searchsorted(np.arange(COLUMNS + 1) * size).tolist()
        for first, last in pairwise(ends):
            row[cells[first:last]] |= played[first:last]
        return _codes(level.cleared + 1, places), masks

    def _play_whole(self, level: _Level) -> tuple[Integers, Masks]:
        """As `_play`, for a level of which no configuration is left out: twice as quick."""
        plays = self._plays(level)
        masks = np.zeros((_RANKS, _size(level.cleared + 1)), plays.dtype)
        for slot, sources, places in _groups(level.cleared):
            rank = self._free[slot]
            masks[rank][places] |= plays[rank].take(sources)
        places = _kept(np.bitwise_or.reduce(masks) != 0)
        if places.size < masks.shape[1]:
            masks = masks.take(places, axis=1)
        return _codes(level.cleared + 1, places), masks

    def _free_ranks(self, codes: Integers) -> Integers:
        """[column, configuration]: the rank of the free card."""
        return self._free.take(_lattice().slots.take(codes, axis=1))

    def _plays(self, level: _Level) -> Masks:
        """[rank, configuration]: with how many cards drawn a card of the rank can be played."""
        draws = self._forced_draws(level) if self._forced else self._free_draws(level)
        plays: Masks = self._takers[:, None] & draws
        for cards, wastes in self._runs:
            plays[cards] |= level.masks[wastes]
        return plays

    def _free_draws(self, level: _Level) -> Masks:
        """[configuration]: bit d is set if the d-th card of the stock can be drawn there."""
        reached: Masks = np.bitwise_or.reduce(level.masks)
        # Every bit above the lowest.
        return self._drawable & ~(reached ^ (reached - 1))

    def _forced_draws(self, level: _Level) -> Masks:
        """As `_free_draws`, if a card is drawn only where no free card fits."""
        ranks = self._free_ranks(level.codes)
        free = np.bitwise_or.reduce(self._bits.take(ranks))
        is_stuck = (self._fits_by_waste[:, None] & free) == 0
        drawn: Masks = np.bitwise_or.reduce(level.masks * is_stuck) << 1
        # From a drawn card that no free card fits the next is drawn, and so on: the carry of an
        # addition runs through such cards up to the one behind them.
        stuck: Masks = self._drawable & ~np.bitwise_or.reduce(self._takers.take(ranks))
        return self._drawable & (drawn | (((drawn & stuck) + stuck) ^ stuck))

    def best(self) -> Best:
        """The best result from the start."""
        cleared = self._levels[-1].cleared
        if cleared < TABLEAU:
            return Best(cleared, None)
        return Best(cleared, len(self._stock) - self._end().drawn)

    def _end(self) -> _Position:
        """A position of the last level; if that is the 35th, the one with the fewest drawn."""
        level = self._levels[-1]
        number = (np.bitwise_or.reduce(level.masks) != 0).argmax()
        drawn, waste = min(
            ((mask & -mask).bit_length() - 1, waste)
            for waste, mask in enumerate(level.masks[:, number].tolist())
            if mask
        )
        return _Position(int(level.codes[number]), waste, drawn)

    def line(self) -> str:
        """Plays and draws that reach the best result, up to the end of the game."""
        position = self._end()
        # In a lost game nothing fits any more, and what is left of the stock is drawn.
        draws = 0 if self.best().won else len(self._stock) - position.drawn
        parts = ["d" * draws]
        for level in reversed(self._levels[:-1]):
            position, part = next(self._ways(level, position))
            parts.append(part)
        return "".join(reversed(parts))

    def _ways(self, level: _Level, to: _Position) -> Iterator[tuple[_Position, str]]:
        """The positions of a level that lead to one of the next, each with the actions."""
        for column, step in enumerate(_STEPS):
            cleared = to.code // step % _DEPTHS
            if not cleared or self._free[column * _DEPTHS + cleared - 1] != to.waste:
                continue
            number = level.number(to.code - step)
            if number is None:
                continue
            masks = level.masks[:, number].tolist()
            for waste, drawn in self._sources(to.code - step, masks, to):
                actions = "d" * (to.drawn - drawn) + str(column + 1)
                yield _Position(to.code - step, waste, drawn), actions

    def _sources(self, code: int, masks: list[int], to: _Position) -> Iterator[tuple[int, int]]:
        """The wastes, and how many cards were drawn, from which draws and a play lead there."""
        free = int(np.bitwise_or.reduce(self._bits[self._free_ranks(np.array([code]))[:, 0]]))

        def leads_on(waste: int, drawn: int) -> bool:
            if drawn == to.drawn:
                return bool(self._fits[waste] >> to.waste & 1)
            return not (self._forced and self._fits[waste] & free)

        for drawn in range(to.drawn, -1, -1):
            for waste, mask in enumerate(masks):
                if mask >> drawn & 1 and leads_on(waste, drawn):
                    yield waste, drawn
            if not (drawn and leads_on(self._stock[drawn - 1], drawn)):
                return

    def results(self, positions: Iterable[_Position]) -> dict[_Position, Best]:
        """The best result from each of some positions, all of which can be reached."""
        wanted: dict[int, list[_Position]] = {level.cleared: [] for level in self._levels}
        for position in set(positions):
            wanted[sum(position.code // step % _DEPTHS for step in _STEPS)].append(position)
        results = {}
        values = self._last_values()
        for level, above in zip(self._levels[::-1], (None, *self._levels[:0:-1]), strict=True):
            if above is not None:
                plays = self._play_values(level, above, values)
                values = self._position_values(level, plays)
            for position in wanted[level.cleared]:
                number = level.codes.searchsorted(position.code)
                value = int(values[position.waste, number, position.drawn])
                results[position] = _best(value)
        return results

    def _last_values(self) -> Values:
        """`_position_values` of the last level, where no more can be cleared."""
        level = self._levels[-1]
        values = np.full((_RANKS, level.codes.size, len(self._stock) + 1), level.cleared, np.uint8)
        if level.cleared == TABLEAU:
            values += np.arange(len(self._stock), -1, -1).astype(np.uint8)
        return values

    def _play_values(self, level: _Level, above: _Level, values: Values) -> Values:
        """[rank, configuration, drawn]: the best after a play of that rank; 0 for no such play.

        Where such a play cannot be reached the value means nothing, and nothing asks for it.

        :param values: the `_position_values` of the level above.
        """
        lattice = _lattice()
        start, end = lattice.starts[above.cleared : above.cleared + 2]
        numbers = np.zeros(end - start, np.int64)
        numbers[lattice.places.take(above.codes)] = np.arange(above.codes.size)
        counts = values.shape[2]
        plays = np.zeros((_RANKS, level.codes.size, counts), np.uint8)
        after, rows = values.reshape(-1, counts), plays.reshape(-1, counts)
        for step, ranks in zip(_STEPS, self._free_ranks(level.codes), strict=True):
            place = lattice.places.take(level.codes + step, mode="clip")
            number = numbers.take(place, mode="clip")
            best = after.take(ranks * above.codes.size + number, axis=0)
            own = ranks * level.codes.size + np.arange(level.codes.size)
            rows[own] = np.maximum(rows.take(own, axis=0), best)
        return plays

    def _position_values(self, level: _Level, plays: Values) -> Values:
        """[waste rank, configuration, drawn]: the best from each position of a level."""
        # By cards drawn, the best if nothing is played onto the waste: a draw, or the end.
        rest = np.full(plays.shape[1:], level.cleared, np.uint8)
        for drawn in range(len(self._stock), 0, -1):
            fits = self._fits[self._stock[drawn - 1]]
            ranks = [rank for rank in range(_NO_RANK) if fits >> rank & 1]
            play = plays[ranks, :, drawn].max(axis=0, initial=0)
            rest[:, drawn - 1] = self._choose(play, rest[:, drawn])
        values = np.zeros_like(plays)
        for cards, wastes in self._runs:
            np.maximum(values[wastes], plays[cards], out=values[wastes])
        return self._choose(values, rest)

    def _choose(self, play: Values, draw: Values) -> Values:
        """The better of a play, 0 if there is none, and a draw, if the rules leave the choice."""
        return np.where(play > 0, play, draw) if self._forced else np.maximum(play, draw)


def _best(value: int) -> Best:
    """The result that a value stands for: the cards cleared, and what is left of the stock."""
    return Best(value, None) if value < TABLEAU else Best(TABLEAU, value - TABLEAU)


def _runs(fits: Sequence[int], wastes: set[int]) -> Iterator[tuple[slice, slice]]:
    """Which ranks can be put on which of some wastes: pairs of slices of the same length."""
    for offset in range(1 - _RANKS, _RANKS):
        start = None
        for card in range(_RANKS):
            waste = card + offset
            fit = card < _NO_RANK and waste in wastes and fits[waste] >> card & 1
            if fit and start is None:
                start = card
            elif not fit and start is not None:
                yield slice(start, card), slice(start + offset, card + offset)
                start = None

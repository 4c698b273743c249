"""How many players are flagged for foresight who know the stock, and how many who do not.

    python -m tests.bench.foresight RULES PLAYER NINES [SEED]

lets a player of `tests/tournaments/players.py` play so many times nine holes on new deals, looks at
each nine as the site does, and prints a line for each and a summary. With `all` as PLAYER it goes
through all of them. Nobody is spared a look here for having left too many cards (`foresight.LEFT`):
the summary says how many would have been.
"""

import random
import sys
from math import log10

from games.engine import GameCode, RuleSet
from tests.tournaments import players
from tournaments import foresight

PLAYERS: dict[str, players.Player] = {
    **players.BOTS,
    "planner": players.planner,
    "reader": players.reader,
    "line": players.line,
    "sloppy_reader": players.sloppy_reader,
    "peeker_1": players.peeker(1),
    "peeker_3": players.peeker(3),
}


def measure(rules: RuleSet, name: str, nines: int, seed: int) -> None:
    """Let one player play, and print what is found."""
    chances = []
    flagged = spared = 0
    for nine in range(nines):
        chance = random.Random(f"{seed} {rules.text} {name} {nine}")
        games = []
        for _ in range(9):
            code = GameCode.secret(rules, chance.getrandbits(128))
            games.append(foresight.Played(code.text, PLAYERS[name](code, chance)))
        found = foresight.look(games, spare=False)
        is_spared = foresight.is_spared(games)
        if found is not None:
            chances.append(found.chance)
            flagged += found.is_flagged and not is_spared
            spared += is_spared
            print(
                f"{rules.text} {name} {nine}: {found.costly} of {found.choices} cost something,"
                f" {found.expected:.1f} expected, chance {found.chance:.2g}"
                f"{', spared' if is_spared else ''}",
                flush=True,
            )
    chances.sort()
    lowest, middle = log10(chances[0]), log10(chances[len(chances) // 2])
    print(
        f"{rules.text} {name}: {flagged} of {nines} flagged, {spared} spared;"
        f" chance 10^{lowest:.1f} at the lowest, 10^{middle:.1f} in the middle",
        flush=True,
    )


def main() -> None:
    """Read what is asked for, and measure it."""
    text, name, nines, *seed = sys.argv[1:]
    for player in PLAYERS if name == "all" else [name]:
        measure(RuleSet.parse(text), player, int(nines), int(seed[0]) if seed else 1)


if __name__ == "__main__":
    main()

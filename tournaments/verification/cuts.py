"""Who misses the cut after a round, by what was known when it was made."""

from collections.abc import Sequence

from tournaments import scorecard
from tournaments.bundle import Record


class Cut:
    """A cut as it was made: from the games that were over then, and what had been decided.

    :param found: a whole file; its figures are checked elsewhere.
    :param decided: the corrections that had been made.
    """

    def __init__(self, found: Record, round_: Record, decided: Sequence[Record]) -> None:
        self._found = found
        self._round = round_
        void: dict[int, bool] = {}
        self._adjusted: dict[tuple[int, int], tuple[int, int]] = {}
        self._out: dict[int, bool] = {}
        for row in decided:
            kind, key = row["kind"], (row["entry"], row["hole"])
            if kind in ("void", "unvoid"):
                void[row["hole"]] = kind == "void"
            elif kind == "adjust":
                self._adjusted[key] = row["after"]["strokes"], row["after"]["app_score"]
            elif kind == "restore":
                self._adjusted.pop(key, None)
            elif kind in ("disqualify", "withdraw", "remove", "reinstate"):
                self._out[row["entry"]] = kind != "reinstate"
        self._holes = [
            hole
            for hole in found["holes"]
            if hole["round"] <= round_["number"] and not void.get(hole["number"], False)
        ]
        self._own = {h["number"] for h in self._holes if h["round"] == round_["number"]}

    def missed(self) -> set[int]:
        """Return the numbers of the entries that miss it: who is not among the best, ties included.

        Who has not finished the round misses it too, but not who waits for a word about a hole
        that is damaged.
        """
        entries = [entry for entry in self._found["entries"] if self._competes(entry)]
        cards = {entry["number"]: self._scores(entry) for entry in entries}
        terms = scorecard.Terms(
            tuple(scorecard.Hole(hole["number"], hole["par"]) for hole in self._holes),
            rank_by=scorecard.RankBy(self._found["tournament"]["rank_by"]),
            unplayed=scorecard.Unplayed(self._found["tournament"]["unplayed"]),
            closed=True,
        )
        lines = [scorecard.Line(number, tuple(card)) for number, card in cards.items()]
        kept = {
            row.key
            for row in scorecard.rank(lines, terms)
            if row.place is not None
            and row.place <= self._round["cut_to"]
            and self._own <= {score.number for score in cards[row.key]}
        }
        kept |= {entry["number"] for entry in entries if self._waits(entry)}
        return set(cards) - kept

    def _competes(self, entry: Record) -> bool:
        """Whether an entry competed when the cut was made."""
        made_at = self._round["cut_at"]
        cut_before = entry["cut_after"] is not None and entry["cut_after"] < self._round["number"]
        saw_deals = entry["saw_deals_at"] is not None and entry["saw_deals_at"] <= made_at
        is_out = self._out.get(entry["number"], False)
        return not (is_out or cut_before or saw_deals or entry["entered_at"] > made_at)

    def _scores(self, entry: Record) -> list[scorecard.HoleScore]:
        """Return what was final of an entry, of the holes that counted."""
        below_par = self._found["tournament"]["strokes_kind"] == "below_par"
        results = {result["hole"]: result for result in entry["holes"]}
        scores = []
        for hole in self._holes:
            number = hole["number"]
            given = self._adjusted.get((entry["number"], number))
            result = results.get(number)
            if given is None and result is not None and self._was_over(result):
                strokes = result["strokes_below_par" if below_par else "strokes"]
                given = strokes, result["app_score"]
            if given is not None:
                scores.append(scorecard.HoleScore(number, hole["par"], *given))
        return scores

    def _was_over(self, result: Record) -> bool:
        finished_at = result["finished_at"]
        return finished_at is not None and finished_at <= self._round["cut_at"]

    def _waits(self, entry: Record) -> bool:
        """Whether a hole of the round was damaged, and no result was given for it."""
        return any(
            result["is_damaged"]
            and self._found["holes"][result["hole"] - 1]["round"] == self._round["number"]
            and (entry["number"], result["hole"]) not in self._adjusted
            for result in entry["holes"]
        )

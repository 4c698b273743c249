"""What a file says: whether each figure follows from the moves and from what was decided."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from games.engine import CodeError, GameCode, Play, Refusal, RuleError, RuleSet, UnknownAction
from tournaments import bundle, fairness, scorecard
from tournaments.bundle import Record
from tournaments.verification.cuts import Cut
from tournaments.verification.places import Card, Place, places_of
from tournaments.verification.report import Report

_ENUMERATED: Final[dict[str, tuple[str, ...]]] = {
    "rank_by": ("strokes", "app_score", "cleared"),
    "strokes_kind": ("traditional", "below_par"),
    "tie_break": tuple(scorecard.TieBreak),
    "unplayed": tuple(scorecard.Unplayed),
}
#: What an entry is after a decision; None where it competes again.
_STATUS_AFTER: Final[dict[str, str | None]] = {
    "disqualify": "disqualified",
    "withdraw": "withdrawn",
    "remove": "removed",
    "reinstate": None,
}
#: What a decision must say, with the type of each of its values; of None there may be null as well.
_AFTER: Final[dict[str, dict[str, tuple[type, ...]]]] = {
    "adjust": {"strokes": (int,), "app_score": (int,)},
    "void": {"is_void": (bool,)},
    "unvoid": {"is_void": (bool,)},
    "extend": {"until": (str,)},
    "division": {"division": (int, type(None))},
    **{kind: {"status": (str,)} for kind in (*_STATUS_AFTER, "add")},
    "restore": {},
}
#: What a decision of some kinds always comes to.
_MEANS: Final[dict[str, Record]] = {
    **{kind: {"status": status or "active"} for kind, status in _STATUS_AFTER.items()},
    "add": {"status": "active"},
    "void": {"is_void": True},
    "unvoid": {"is_void": False},
}
#: What a decision is about.
_ABOUT: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(_AFTER, ("entry",)),
    **dict.fromkeys(("adjust", "restore"), ("entry", "hole")),
    **dict.fromkeys(("void", "unvoid"), ("hole",)),
}
#: What only a hole has that was played.
_PLAYED: Final = (
    "started_at", "finished_at", "times_ms", "state", "cleared", "left", "stock_left", "moves",
    "undos", "hints", "app_score", "strokes", "strokes_below_par", "streak_score",
    "longest_streak", "time_ms",
)  # fmt: skip
#: The window of a race: all start each hole at one instant.
_RACE: Final = "race"
#: Games of one hole that are refused and named one by one; a wrong code breaks them all.
_NAMED: Final = 3


@dataclass(slots=True)
class _Decided:
    """What the corrections make of one entry."""

    adjusted: dict[int, tuple[int, int]] = field(default_factory=dict)
    status: str | None = None
    division: int | None = None
    has_division: bool = False
    count: int = 0

    def take(self, row: Record) -> None:
        """Carry out a correction."""
        kind, after = row["kind"], row["after"]
        self.count += 1
        if kind in _STATUS_AFTER:
            self.status = _STATUS_AFTER[kind]
        elif kind == "adjust":
            self.adjusted[row["hole"]] = after["strokes"], after["app_score"]
        elif kind == "restore":
            self.adjusted.pop(row["hole"], None)
        elif kind == "division":
            self.division, self.has_division = after["division"], True


def _is_time(until: str) -> bool:
    """Whether a text is the time of an extension."""
    try:
        return datetime.fromisoformat(until).tzinfo is not None
    except ValueError:
        return False


class Contents:
    """Goes through a file whose shape is right, from the settings to the places."""

    def __init__(self, found: Record, report: Report) -> None:
        self._found = found
        self._report = report
        self._tournament: Record = found["tournament"]
        self._holes: dict[int, Record] = {hole["number"]: hole for hole in found["holes"]}
        self._codes: dict[int, GameCode] = {}
        self._decided: dict[int, _Decided] = {}
        self._refused: dict[int, int] = {}
        #: The holes as the corrections leave them.
        self._course: list[Record] = []

    def check(self, commitment: str | None) -> None:
        """Check everything; what cannot be worked out from broken settings is left out."""
        before = len(self._report.problems)
        self._check_settings()
        self._check_numbers()
        self._check_corrections()
        can_go_on = len(self._report.problems) == before
        self._check_commitment(commitment)
        if not can_go_on:
            return
        self._check_codes()
        self._carry_out()
        self._check_cuts()
        if self._tournament["window"] == _RACE:
            self._check_starts()
        cards = [self._check_entry(entry) for entry in self._found["entries"]]
        self._check_places(cards)
        for number, refused in self._refused.items():
            if refused > _NAMED:
                text = f"{refused - _NAMED} more games cannot be played on this deal"
                self._report.add(f"holes[{number}].code", text)

    # --- what is given -------------------------------------------------------------------------

    def _check_settings(self) -> None:
        for key, known in _ENUMERATED.items():
            if self._tournament[key] not in known:
                self._report.add(f"tournament.{key}", f"is none of {', '.join(known)}")
        try:
            rules = RuleSet.parse(self._tournament["rules"])
        except RuleError as error:
            self._report.add("tournament.rules", str(error))
        else:
            text = self._tournament["rules"]
            self._report.compare("tournament.rules", text, rules.text, "a rule set is written")

    def _check_numbers(self) -> None:
        """Records count from 1 without gaps, and name others that are there."""
        for name in ("rounds", "holes", "divisions", "entries", "corrections"):
            for at, record in enumerate(self._found[name], 1):
                self._report.compare(
                    f"{name}[{at}].number", record["number"], at, "records are numbered, so it is"
                )
        if not self._holes:
            self._report.add("holes", "there is none")
        rounds, divisions = len(self._found["rounds"]), len(self._found["divisions"])
        for at, hole in enumerate(self._found["holes"], 1):
            self._refer(f"holes[{at}].round", hole["round"], rounds)
        for at, entry in enumerate(self._found["entries"], 1):
            self._refer(f"entries[{at}].division", entry["division"], divisions)
            self._refer(f"entries[{at}].cut_after", entry["cut_after"], rounds)
            numbers = [result["hole"] for result in entry["holes"]]
            for number in numbers:
                self._refer(f"entries[{at}].holes[{number}].hole", number, len(self._holes))
            if numbers != sorted(set(numbers)):
                self._report.add(f"entries[{at}].holes", "are not in order, each once")

    def _refer(self, where: str, number: int | None, most: int) -> None:
        if number is not None and not 1 <= number <= most:
            self._report.add(where, f"is {number}, but there are {most}")

    def _check_corrections(self) -> None:
        for at, row in enumerate(self._found["corrections"], 1):
            where = f"corrections[{at}]"
            wanted = _AFTER.get(row["kind"])
            if wanted is None:
                self._report.add(f"{where}.kind", f"is none of {', '.join(_AFTER)}")
                continue
            self._refer(f"{where}.entry", row["entry"], len(self._found["entries"]))
            self._refer(f"{where}.hole", row["hole"], len(self._holes))
            for key in ("entry", "hole"):
                if key in _ABOUT[row["kind"]] and row[key] is None:
                    self._report.add(f"{where}.{key}", "is missing")
            for key, types in wanted.items():
                if type(row["after"].get(key)) not in types:
                    self._report.add(f"{where}.after.{key}", "is missing or of another kind")
                elif key == "until" and not _is_time(row["after"][key]):
                    self._report.add(f"{where}.after.{key}", "is no time")
                elif key == "division":
                    most = len(self._found["divisions"])
                    self._refer(f"{where}.after.{key}", row["after"][key], most)
            for key, value in _MEANS.get(row["kind"], {}).items():
                found = row["after"].get(key)
                self._report.compare(f"{where}.after.{key}", found, value, "its kind makes it")

    # --- the deals -----------------------------------------------------------------------------

    def _check_commitment(self, kept: str | None) -> None:
        promised = self._found["commitment"]
        if promised is None:
            if kept is not None:
                self._report.add("commitment", "there is none, but one was given along")
            return
        try:
            made = fairness.commitment(
                salt=promised["salt"],
                rules=self._tournament["rules"],
                codes=[hole["code"] for hole in self._found["holes"]],
            )
        except ValueError as error:
            self._report.add("commitment", str(error))
        else:
            why = "salt, rule set and codes make it"
            self._report.compare("commitment.sha256", promised["sha256"], made, why)
        if kept is not None and promised["sha256"] != kept.strip().lower():
            self._report.add("commitment.sha256", "is not the one that was given along")

    def _check_codes(self) -> None:
        numbers: dict[tuple[int, int], int] = {}
        for number, hole in self._holes.items():
            where = f"holes[{number}].code"
            try:
                code = GameCode.parse(hole["code"])
            except CodeError as error:
                self._report.add(where, str(error))
                continue
            self._report.compare(where, hole["code"], code.text, "a code is written")
            wanted = self._tournament["rules"]
            self._report.compare(
                where, code.rules.text, wanted, "its rules are those of the tournament,"
            )
            if code.version == 1 and not self._tournament["is_friendly"]:
                self._report.add(where, "can be guessed, and the tournament is not friendly")
            first = numbers.setdefault((code.version, code.number), number)
            if first != number:
                self._report.add(where, f"is the deal of hole {first} as well")
            self._codes[number] = code

    def _check_starts(self) -> None:
        """In a race each hole starts for all at one instant."""
        starts: dict[int, str] = {}
        for entry in self._found["entries"]:
            for result in entry["holes"]:
                if result["started_at"] is not None:
                    start = starts.setdefault(result["hole"], result["started_at"])
                    where = f"entries[{entry['number']}].holes[{result['hole']}].started_at"
                    self._report.compare(
                        where,
                        result["started_at"],
                        start,
                        "all start a hole at one instant, so it is",
                    )

    # --- the entries ---------------------------------------------------------------------------

    def _carry_out(self) -> None:
        """Carry out the corrections, in the order in which they were made."""
        void = dict.fromkeys(self._holes, False)
        for row in self._found["corrections"]:
            if row["kind"] in ("void", "unvoid"):
                void[row["hole"]] = row["kind"] == "void"
            else:
                self._decided.setdefault(row["entry"], _Decided()).take(row)
        for number, is_void in void.items():
            hole = self._holes[number]
            self._report.compare(
                f"holes[{number}].is_void", hole["is_void"], is_void, "the corrections make it"
            )
            self._course.append(hole | {"is_void": is_void})

    def _check_entry(self, entry: Record) -> Card:
        """Check an entry but for its place, and return what follows from its games."""
        where = f"entries[{entry['number']}]"
        decided = self._decided.get(entry["number"], _Decided())
        scores = []
        for result in entry["holes"]:
            score = self._check_result(where, result, decided)
            if score is not None:
                scores.append(score)
        missing = decided.adjusted.keys() - {result["hole"] for result in entry["holes"]}
        for number in sorted(missing):
            self._report.add(
                f"{where}.holes", f"hole {number} is missing, which was given a result"
            )
        counted = [score for score in scores if not self._course[score.number - 1]["is_void"]]
        totals = scorecard.totals(counted)
        for key in ("thru", "strokes", "to_par", "app_score"):
            self._report.compare(
                f"{where}.{key}", entry[key], getattr(totals, key), "its holes make it"
            )
        time_ms = sum(score.time_ms for score in counted)
        self._report.compare(f"{where}.time_ms", entry["time_ms"], time_ms, "its holes make it")
        status = self._check_decided(where, entry, decided)
        division = decided.division if decided.has_division else entry["division"]
        return Card(entry["number"], entry["name"], status, division, tuple(scores))

    def _check_decided(self, where: str, entry: Record, decided: _Decided) -> str:
        """Check what the corrections decide of an entry, and return its status."""
        why = "the corrections make it"
        self._report.compare(f"{where}.corrections", entry["corrections"], decided.count, why)
        if decided.has_division:
            self._report.compare(f"{where}.division", entry["division"], decided.division, why)
        status = decided.status
        if status is None:
            if entry["cut_after"] is not None:
                status = "cut"
            else:
                status = "active" if entry["saw_deals_at"] is None else "unranked"
        self._report.compare(
            f"{where}.status", entry["status"], status, "what was decided makes it"
        )
        return status

    # --- the holes -----------------------------------------------------------------------------

    def _check_result(
        self, entry: str, result: Record, decided: _Decided
    ) -> scorecard.HoleScore | None:
        """Check a hole of an entry; return what it counts, None if it is not final."""
        number = result["hole"]
        where = f"{entry}.holes[{number}]"
        played = self._replay(where, result)
        adjusted = decided.adjusted.get(number)
        self._report.compare(
            f"{where}.is_corrected", result["is_corrected"], adjusted is not None, "it was decided"
        )
        below_par = self._tournament["strokes_kind"] == "below_par"
        strokes = app_score = None
        why = "its moves make it"
        if adjusted is not None:
            (strokes, app_score), why = adjusted, "it was given"
        elif played is not None:
            strokes = played["strokes_below_par" if below_par else "strokes"]
            app_score = played["app_score"]
        elif result["actions"] is not None and not result["is_damaged"]:
            # What it counts cannot be known; what stands there goes into the totals.
            strokes, app_score = result["counts_strokes"], result["counts_app_score"]
        self._report.compare(f"{where}.counts_strokes", result["counts_strokes"], strokes, why)
        self._report.compare(
            f"{where}.counts_app_score", result["counts_app_score"], app_score, why
        )
        if strokes is None or app_score is None:
            return None
        time_ms = (played or result)["time_ms"] or 0
        return scorecard.HoleScore(number, self._holes[number]["par"], strokes, app_score, time_ms)

    def _replay(self, where: str, result: Record) -> Record | None:
        """Play a game again and compare its figures; None if there is none or it is refused."""
        if result["actions"] is None:
            for key in _PLAYED:
                self._report.compare(
                    f"{where}.{key}", result[key], None, "it was not played, so it is"
                )
            return None
        code = self._codes.get(result["hole"])
        if result["is_damaged"] or code is None or not self._check_times(where, result):
            return None
        play = Play(
            code.deal(),
            code.rules,
            undo=self._tournament["undo_allowed"],
            hints=self._tournament["hints_allowed"],
        )
        for at, action in enumerate(result["actions"], 1):
            try:
                if action == "c":
                    play.close()
                else:
                    play.act(action)
            except (Refusal, UnknownAction) as error:
                self._refuse(where, result["hole"], at, action, error)
                return None
        times = result["times_ms"] or [0]
        # A race is timed from its start, anything else from the first action.
        first_ms = 0 if self._tournament["window"] == _RACE else times[0]
        figures: Record = {
            **play.figures(), "state": play.state, "time_ms": times[-1] - first_ms
        }  # fmt: skip
        for key, value in figures.items():
            self._report.compare(f"{where}.{key}", result[key], value, "its moves make it")
        self._report.games += 1
        self._report.actions += play.turn
        if not play.final:
            self._report.add(f"{where}.actions", "do not end the game")
            return None
        return figures

    def _refuse(self, where: str, hole: int, at: int, action: str, error: Exception) -> None:
        refused = self._refused[hole] = self._refused.get(hole, 0) + 1
        if refused <= _NAMED:
            text = f"number {at}, {action!a}, is refused: {error}"
            self._report.add(f"{where}.actions", text)

    def _check_times(self, where: str, result: Record) -> bool:
        """Check that there is a time for each action, and that none comes before the one before."""
        times, actions = result["times_ms"], result["actions"]
        if times is None or len(times) != len(actions):
            self._report.add(f"{where}.times_ms", "are not as many as there are actions")
            return False
        for at, (before, after) in enumerate(pairwise(times), 2):
            if after < before:
                self._report.add(f"{where}.times_ms[{at}]", "is before the one before it")
        if result["started_at"] is None:
            self._report.add(f"{where}.started_at", "is missing")
        else:
            lasted = timedelta(milliseconds=times[-1] if times else 0)
            ended = bundle.time_text(datetime.fromisoformat(result["started_at"]) + lasted)
            why = "its start and its last move make it"
            self._report.compare(f"{where}.finished_at", result["finished_at"], ended, why)
        return True

    # --- the cuts ------------------------------------------------------------------------------

    def _check_cuts(self) -> None:
        """Check who missed the cut after a round: not better than what is said to have been cut.

        What was decided afterwards did not count then. A director whose clock was ahead may have
        decided in the same moment, so the cut may also be as if nothing had been decided yet.
        """
        for round_ in self._found["rounds"]:
            said = {
                entry["number"]
                for entry in self._found["entries"]
                if entry["cut_after"] == round_["number"]
            }
            made_at = round_["cut_at"]
            if made_at is None or round_["cut_to"] is None:
                for number in sorted(said):
                    text = f"is {round_['number']}, but after that round no cut was made"
                    self._report.add(f"entries[{number}].cut_after", text)
                continue
            decided = [row for row in self._found["corrections"] if row["at"] <= made_at]
            missed = [
                Cut(self._found, round_, rows).missed()
                for rows in ([decided, []] if decided else [[]])
            ]
            if said in missed:
                continue
            for number in sorted(said ^ missed[0]):
                is_said = number in said
                text = (
                    "says that it missed the cut" if is_said else "does not say that it missed it"
                )
                self._report.add(
                    f"entries[{number}].cut_after", f"{text}; its results say otherwise"
                )

    # --- the places ----------------------------------------------------------------------------

    def _check_places(self, cards: list[Card]) -> None:
        """Rank the field and its divisions from what the games and the corrections make of them."""
        self._report.entries = len(cards)
        places = places_of(self._tournament, self._course, cards)
        among: dict[int, Place] = {}
        for division in self._found["divisions"]:
            part = [card for card in cards if card.division == division["number"]]
            among |= places_of(self._tournament, self._course, part)
        why = "the ranking makes it"
        for entry in self._found["entries"]:
            where = f"entries[{entry['number']}]"
            place, tied, reason = places[entry["number"]]
            self._report.compare(f"{where}.place", entry["place"], place, why)
            self._report.compare(f"{where}.tied", entry["tied"], tied, why)
            self._report.compare(f"{where}.reason", entry["reason"], reason, why)
            place, tied, _reason = among.get(entry["number"], Place())
            self._report.compare(f"{where}.division_place", entry["division_place"], place, why)
            self._report.compare(f"{where}.division_tied", entry["division_tied"], tied, why)

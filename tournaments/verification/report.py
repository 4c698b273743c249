"""What a check has found."""

from dataclasses import dataclass, field

from tournaments import bundle


@dataclass(slots=True)
class Report:
    """What came of it: each difference as a line of text, and how much was checked."""

    problems: list[str] = field(default_factory=list)
    entries: int = 0
    games: int = 0
    actions: int = 0

    def add(self, where: str, text: str) -> None:
        """Note a difference."""
        self.problems.append(f"{where}: {text}")

    def compare(self, where: str, found: object, wanted: object, why: str) -> None:
        """Note it if a value is not what follows from others."""
        if found != wanted or type(found) is not type(wanted):
            shown, right = bundle.value_text(found), bundle.value_text(wanted)
            self.add(where, f"is {shown[:80]}, but {why} {right[:80]}")

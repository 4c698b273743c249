"""What a tournament refuses."""


class TournamentError(Exception):
    """Something that the tournament does not allow, with a stable `code`.

    ``not_started``: it has not opened yet. ``closed``: its time is over. ``no_such_hole``.
    ``previous_hole``: holes are played in order, and the one before is not finished.
    ``has_results``: what has results is kept.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code

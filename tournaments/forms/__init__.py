"""What directors and members fill in."""

from tournaments.forms.tournaments import (
    RULE_FIELDS,
    StartedTournamentForm,
    TournamentForm,
    describe_rules,
)

__all__ = ["RULE_FIELDS", "StartedTournamentForm", "TournamentForm", "describe_rules"]

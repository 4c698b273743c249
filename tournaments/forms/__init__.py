"""What directors and members fill in."""

from tournaments.forms.clubs import (
    AllowedNameForm,
    ClubForm,
    ImportForm,
    JoinForm,
    MemberNameForm,
    RoleForm,
    TabletForm,
    describe_event,
)
from tournaments.forms.tournaments import (
    RULE_FIELDS,
    StartedTournamentForm,
    TournamentForm,
    describe_rules,
)

__all__ = [
    "RULE_FIELDS",
    "AllowedNameForm",
    "ClubForm",
    "ImportForm",
    "JoinForm",
    "MemberNameForm",
    "RoleForm",
    "StartedTournamentForm",
    "TabletForm",
    "TournamentForm",
    "describe_event",
    "describe_rules",
]

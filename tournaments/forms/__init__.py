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
from tournaments.forms.plans import Deals, PlanForm, Stage, stage_of
from tournaments.forms.rooms import RoomForm
from tournaments.forms.seasons import RecurrenceForm, SeasonForm
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
    "Deals",
    "ImportForm",
    "JoinForm",
    "MemberNameForm",
    "PlanForm",
    "RecurrenceForm",
    "RoleForm",
    "RoomForm",
    "SeasonForm",
    "Stage",
    "StartedTournamentForm",
    "TabletForm",
    "TournamentForm",
    "describe_event",
    "describe_rules",
    "stage_of",
]

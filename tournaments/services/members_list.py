"""The list of user names that may join a club, typed one by one or read from a file.

A list makes nobody a member. It says who may become one without link and password, under which
name and in which role; the player joins with one click, now or whenever the account is made.
"""

import csv
import io
from dataclasses import dataclass
from typing import Any, Final

import tablib
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from import_export.instance_loaders import CachedInstanceLoader
from import_export.resources import ModelResource
from import_export.results import RowResult

from games.models import Player, username_key_of
from tournaments.models import AllowedName, Club, ClubEvent, Membership
from tournaments.services.members import (
    checked_name,
    lock,
    log,
    name_key,
    name_keys,
    require_director,
)

#: A file that is larger, or has more lines, is no club's list of members.
MOST_IMPORT_BYTES: Final = 256 * 1024
MOST_LINES: Final = 2_000
COLUMNS: Final = ("username", "name", "role")
_LONGEST_USERNAME: Final = 150
_OWNER_RANK: Final = 2

_FILE_ERRORS: Final[dict[str, Promise]] = {
    "too_large": gettext_lazy(
        "This file is larger than 256 KiB: a list has at most 2,000 lines. Nothing was read."
    ),
    "too_many_lines": gettext_lazy(
        "This file has more than 2,000 lines. Divide it and import one part after the other."
        " Nothing was read."
    ),
    "not_utf8": gettext_lazy(
        "This file is not in UTF-8. Save it as “CSV UTF-8”, and choose it again."
    ),
    "no_header": gettext_lazy(
        "The first line must name the columns: username, name, role. Only username is needed."
    ),
    "no_lines": gettext_lazy("There are no members below the first line."),
    "not_csv": gettext_lazy(
        "This file cannot be read as CSV: one member a line, with commas or semicolons in between."
    ),
}


@dataclass(frozen=True, slots=True)
class LineError:
    """What is wrong with a line of a file, counted from 1, and with what it holds."""

    line: int
    username: str
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did, or would do.

    `new` names were put on the list, `changed` ones got another name or role, `same` ones were
    there already, `members` belong to the club and are left as they are. With any error nothing
    is imported.
    """

    new: int = 0
    changed: int = 0
    same: int = 0
    members: int = 0
    errors: tuple[LineError, ...] = ()

    @property
    def lines(self) -> int:
        """How many members the file names."""
        return self.new + self.changed + self.same + self.members + len(self.errors)


def allow_name(
    *, club: Club, by: Player, username: str, name: str = "", role: str = Membership.Role.MEMBER
) -> None:
    """Put one user name on the club's list, or change its name and role there.

    Raises `ValidationError` by field, and `TournamentError` ``not_allowed``.
    """
    with transaction.atomic():
        stored = lock(club)
        require_director(stored, by)
        resource = _MembersList(stored, by)
        result = resource.import_data(_dataset([(1, [username, name, role])]))
        for row in result.invalid_rows:
            raise row.error
        imported = resource.imported(result)
        if imported.members:
            raise ValidationError(
                {"username": ValidationError(_("This player is a member already."), "member")}
            )
        if imported.new or imported.changed:
            log(stored, ClubEvent.Kind.LISTED, by=by, note=username)


def disallow_name(*, allowed: AllowedName, by: Player) -> None:
    """Take a user name off the club's list; a member stays one. Idempotent.

    Raises `TournamentError` ``not_allowed``.
    """
    with transaction.atomic():
        club = lock(allowed.club)
        require_director(club, by)
        if AllowedName.objects.filter(pk=allowed.pk).delete()[0]:
            log(club, ClubEvent.Kind.UNLISTED, by=by, note=allowed.username)


def import_names(*, club: Club, by: Player, data: bytes, dry_run: bool) -> Imported:
    """Put the names of a CSV file on the club's list, all of them or, with an error, none.

    The first line names the columns, of which `COLUMNS` are read. With `dry_run` nothing is kept.

    Raises `ValidationError` for the file as a whole, with a code of `_FILE_ERRORS`, and
    `TournamentError` ``not_allowed``.
    """
    lines = _read(data)
    with transaction.atomic():
        stored = lock(club)
        require_director(stored, by)
        resource = _MembersList(stored, by)
        result = resource.import_data(
            _dataset(lines), dry_run=dry_run, rollback_on_validation_errors=True
        )
        imported = resource.imported(result)
        kept = not dry_run and not imported.errors
        if kept and (imported.new or imported.changed):
            log(stored, ClubEvent.Kind.IMPORTED, by=by, note=f"{imported.new + imported.changed}")
    return imported


# --- the file ----------------------------------------------------------------------------------

_Line = tuple[int, list[str]]


def _read(data: bytes) -> list[_Line]:
    """Return the cells of `COLUMNS` of each line with its number; one cell more is of no column."""
    if len(data) > MOST_IMPORT_BYTES:
        raise _bad_file("too_large")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _bad_file("not_utf8") from error
    try:
        lines = _parse(text)
    except csv.Error as error:
        raise _bad_file("not_csv") from error
    if not lines:
        raise _bad_file("no_lines")
    return lines


def _parse(text: str) -> list[_Line]:
    head = text.lstrip("\r\n").partition("\n")[0]
    for delimiter in (",", ";", "\t"):
        columns = [_column(cell) for cell in head.split(delimiter)]
        if "username" in columns:
            break
    else:
        raise _bad_file("no_header")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    lines: list[_Line] = []
    for cells in reader:
        if not any(cell.strip() for cell in cells):
            continue
        lines.append((reader.line_num, _cells_of(columns, cells)))
        if len(lines) > MOST_LINES + 1:
            raise _bad_file("too_many_lines")
    return lines[1:]


def _column(cell: str) -> str:
    """Return the name of a column however it is written: `User name` is `username`."""
    return "".join(letter for letter in cell.casefold() if letter.isalnum())


def _cells_of(columns: list[str], cells: list[str]) -> list[str]:
    by_column = dict(zip(columns, cells, strict=False))
    extra = "".join(cells[len(columns) :])
    return [*(by_column.get(column, "") for column in COLUMNS), extra]


def _bad_file(code: str) -> ValidationError:
    return ValidationError(str(_FILE_ERRORS[code]), code)


def _dataset(lines: list[_Line]) -> Any:
    headers = ["line", "username_key", *COLUMNS, "extra"]
    dataset = tablib.Dataset(headers=headers)
    for line, cells in lines:
        username, name, role, *extra = (cell.strip() for cell in cells)
        role = role.casefold() or Membership.Role.MEMBER
        dataset.append((line, username_key_of(username), username, name, role, "".join(extra)))
    return dataset


# --- its lines ---------------------------------------------------------------------------------


class _MembersList(ModelResource):
    """The list of one club, as somebody who directs it may change it."""

    class Meta:
        model = AllowedName
        fields = ("username_key", *COLUMNS)
        import_id_fields = ("username_key",)
        instance_loader_class = CachedInstanceLoader
        clean_model_instances = False
        skip_unchanged = True
        skip_html_diff = True
        store_row_values = True
        use_bulk = True
        batch_size = 500

    def __init__(self, club: Club, by: Player) -> None:
        super().__init__()
        self._club, self._by = club, by
        self._gives_roles = require_director(club, by) >= _OWNER_RANK
        memberships = Membership.objects.filter(club=club).values_list(
            "player__username_key", "status", "name_key"
        )
        self._status = {key: status for key, status, _name in memberships}
        # Whose each name is: of a member, or of somebody on the list.
        self._names = {
            name: key for key, status, name in memberships if status == Membership.Status.ACTIVE
        }
        listed = AllowedName.objects.filter(club=club).exclude(name="")
        for key, name in listed.values_list("username_key", "name"):
            self._names.setdefault(name_key(name), key)
        self._lines: dict[str, int] = {}
        self._accounts: set[str | None] = set()

    def get_queryset(self) -> Any:
        """Return the names that are on the list."""
        return AllowedName.objects.filter(club=self._club)

    def before_import(self, dataset: Any, **kwargs: Any) -> None:
        """Look once which of the names that get a role are accounts."""
        keys = [row["username_key"] for row in dataset.dict if row["role"] != "member"]
        players = Player.objects.filter(username_key__in=keys)
        self._accounts = set(players.values_list("username_key", flat=True))

    def init_instance(self, row: Any = None) -> AllowedName:
        """Start a new name on this list."""
        return AllowedName(club_id=self._club.pk)

    def import_instance(self, instance: AllowedName, row: Any, **kwargs: Any) -> None:
        """Take over a line, and say everything that is wrong with it."""
        super().import_instance(instance, row, **kwargs)
        if self._is_member(row):
            return
        instance.added_by_id, instance.added_at = self._by.pk, timezone.now()
        errors: dict[str, ValidationError] = {}
        for field, check in (
            ("username", self._check_username),
            ("name", self._check_name),
            ("role", self._check_role),
        ):
            try:
                check(instance, row)
            except ValidationError as error:
                errors[field] = error
        if errors:
            raise ValidationError(errors)

    def skip_row(self, instance: Any, original: Any, row: Any, errors: Any = None) -> bool:
        """Leave members as they are, and names that are on the list like that."""
        if self._is_member(row):
            return True
        skipped: bool = super().skip_row(instance, original, row, errors)
        return skipped

    def get_bulk_update_fields(self) -> list[str]:
        """Keep who changed a name on the list, and when."""
        return [*super().get_bulk_update_fields(), "added_by", "added_at"]

    def imported(self, result: Any) -> Imported:
        """Return what came of it; what nobody expected is raised."""
        for problem in result.base_errors:
            raise problem.error
        for _number, problems in result.row_errors():
            raise problems[0].error
        rows: dict[str, list[Any]] = {kind: [] for kind in result.totals}
        for row in result.rows:
            rows[row.import_type].append(row)
        skipped = rows[RowResult.IMPORT_TYPE_SKIP]
        members = sum(self._is_member(row.row_values) for row in skipped)
        return Imported(
            new=len(rows[RowResult.IMPORT_TYPE_NEW]),
            changed=len(rows[RowResult.IMPORT_TYPE_UPDATE]),
            same=len(skipped) - members,
            members=members,
            errors=tuple(
                LineError(
                    row.row_values["line"],
                    row.row_values["username"],
                    tuple(row.validation_error.messages),
                )
                for row in rows[RowResult.IMPORT_TYPE_INVALID]
            ),
        )

    def _is_member(self, row: Any) -> bool:
        return self._status.get(row["username_key"]) == Membership.Status.ACTIVE

    def _check_username(self, instance: AllowedName, row: Any) -> None:
        if not instance.username:
            raise ValidationError(_("The user name is missing."), "required")
        if len(instance.username) > _LONGEST_USERNAME:
            raise ValidationError(_("A user name has at most 150 characters."), "max_length")
        UnicodeUsernameValidator()(instance.username)
        if row["extra"]:
            raise ValidationError(
                _("This line has more cells than the first line has columns."), "extra_cells"
            )
        if self._status.get(instance.username_key) == Membership.Status.BANNED:
            raise ValidationError(_("This player is banned: lift the ban first."), "banned")
        before = self._lines.setdefault(instance.username_key, row["line"])
        if before != row["line"]:
            raise ValidationError(
                _("This user name stands in line %(line)d already.") % {"line": before}, "twice"
            )

    def _check_name(self, instance: AllowedName, row: Any) -> None:
        if not instance.name:
            return
        instance.name = checked_name(instance.name)
        self._names.setdefault(name_key(instance.name), instance.username_key)
        owners = {self._names.get(key) for key in name_keys(instance.name)}
        if owners - {None, instance.username_key}:
            raise ValidationError(
                _("Somebody in the club or on the list has a name that looks like this one."),
                "name_taken",
            )

    def _check_role(self, instance: AllowedName, row: Any) -> None:
        if instance.role == Membership.Role.MEMBER:
            return
        if instance.role != Membership.Role.DIRECTOR:
            raise ValidationError(_("A role is “member” or “director”."), "no_such_role")
        if not self._gives_roles:
            raise ValidationError(_("Only owners make directors."), "not_allowed")
        if instance.username_key not in self._accounts:
            raise ValidationError(
                _(
                    "There is no such account yet, and anybody could take the name: put it on the"
                    " list as a member."
                ),
                "no_account",
            )

"""Actions of lists that ask why before they decide something."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games.models import Player
from tournaments import services
from tournaments.admin.scope import ClubScoped, player_of
from tournaments.forms.directing import DecisionForm

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

#: Rows that one action decides about at the most: what a page can show of them.
MOST_ROWS: Final = 100

#: Why a service refuses, where an admin may meet it.
REFUSALS: Final[dict[str, Promise]] = {
    "bad_step": gettext_lazy("this is no step from where it is"),
    "banned": gettext_lazy("the player is banned from the club"),
    "changed_meanwhile": gettext_lazy("somebody has decided about it meanwhile"),
    "draft": gettext_lazy("it is not published"),
    "final": gettext_lazy("the tournament is final: reopen it first"),
    "has_entries": gettext_lazy("somebody has entered"),
    "last_owner": gettext_lazy("a club keeps an owner"),
    "no_such_hole": gettext_lazy("it has no such hole"),
    "not_a_member": gettext_lazy("this is no member now"),
    "not_allowed": gettext_lazy("your role in the club does not go so far"),
    "not_started": gettext_lazy("it has not opened yet"),
    "revealed": gettext_lazy("the cards are known to all"),
    "still_open": gettext_lazy("it is still open"),
    "too_many_clubs": gettext_lazy("you own so many clubs already"),
    "unchanged": gettext_lazy("that is so already"),
}


def text_of(error: Exception) -> str:
    """Return what a service refuses, in words."""
    if isinstance(error, ValidationError):
        return " ".join(error.messages)
    if isinstance(error, services.TournamentError):
        return str(REFUSALS[error.code])
    raise error


def do_each(
    modeladmin: ClubScoped,
    request: HttpRequest,
    rows: Iterable[Model],
    do: Callable[[Any, Player], object],
) -> None:
    """Do something with each row, and say for how many, and for which others not and why."""
    done = 0
    for row in rows:
        try:
            do(row, player_of(request))
        except (ValidationError, services.TournamentError) as error:
            modeladmin.message_user(request, f"{row}: {text_of(error)}", messages.ERROR)
        else:
            done += 1
    if done:
        text = ngettext("Done for %(count)d row.", "Done for %(count)d rows.", done)
        modeladmin.message_user(request, text % {"count": done})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An action that asks why, and decides about each chosen row.

    :param decide: is called with a row, who decides, what that row was when he looked at it, and
        the cleaned fields of the form.
    :param seen: what somebody sees of a row, as the services compare it.
    """

    title: "_StrPromise"
    text: "_StrPromise"
    decide: Callable[..., object]
    seen: Callable[[Any], str] = lambda row: ""
    form: type[DecisionForm] = DecisionForm

    def __call__(
        self, modeladmin: ClubScoped, request: HttpRequest, rows: QuerySet[Any]
    ) -> TemplateResponse | None:
        """Ask, or decide; the answer comes with what was seen of each row."""
        chosen = list(rows[: MOST_ROWS + 1])
        if len(chosen) > MOST_ROWS:
            text = _("Choose at most %(count)d rows.") % {"count": MOST_ROWS}
            modeladmin.message_user(request, text, messages.ERROR)
            return None
        is_answer = "decide" in request.POST
        form = self.form(request.POST if is_answer else None)
        seen = {row.pk: self.seen(row) for row in chosen}
        if is_answer:
            seen = {pk: request.POST.get(f"seen-{pk}", "") for pk in seen}
            if form.is_valid():
                try:
                    services.clean_reason(form.cleaned_data["reason"])
                except ValidationError as error:
                    form.refuse(error)
                else:
                    self._decide(modeladmin, request, chosen, form)
                    return None
        context = {
            **modeladmin.admin_site.each_context(request),
            "title": self.title,
            "text": self.text,
            "opts": modeladmin.opts,
            "rows": [(row, seen[row.pk]) for row in chosen],
            "action": request.POST["action"],
            "form": form,
        }
        return TemplateResponse(request, "admin/tournaments/decide.html", context)

    def _decide(
        self, modeladmin: ClubScoped, request: HttpRequest, rows: list[Any], form: DecisionForm
    ) -> None:
        def decide(row: Any, by: Player) -> object:
            seen = request.POST.get(f"seen-{row.pk}", "")
            return self.decide(row, by=by, seen=seen, **form.cleaned_data)

        do_each(modeladmin, request, rows, decide)

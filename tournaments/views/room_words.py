"""What the page of a room says, in the language of the page; as `games.words` for the board.

Names are data of players: the scripts put them where `{name}` stands, isolated.
"""

from collections.abc import Callable
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import get_language, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from games import words
from games.engine import CLASSIC, EASY, STRICT
from tournaments.models import Room
from tournaments.views.common import ERRORS

#: What each emote means: the words of `tournaments.protocol.Emote`, in the order of the menu.
EMOTES: Final[dict[str, Promise]] = {
    "good_luck": _("Good luck"),
    "well_played": _("Well played"),
    "smile": _("Smile"),
    "wow": _("Wow"),
    "thanks": _("Thank you"),
    "oops": _("Oops"),
    "sad": _("What a pity"),
    "hurry": _("Come on"),
}

_SENTENCES: Final[dict[str, Promise]] = {
    # Seats.
    "you": _("you"),
    "host": pgettext_lazy("of a room", "host"),
    "guest": _("guest"),
    "ready": pgettext_lazy("for a race", "ready"),
    "not_ready": pgettext_lazy("for a race", "not ready"),
    "away": _("not connected"),
    "rating": _("Rating {rating}"),
    "rating_provisional": _("Rating {rating}, provisional"),
    "remove": _("Remove"),
    "remove_name": _("Remove {name}"),
    "remove_title": _("Take {name}'s seat away?"),
    # The next race.
    "friendly": _("deals of the host: friendly"),
    "undo": _("with undo"),
    "hints": _("with hints"),
    "below_par": _("strokes below par"),
    "be_ready": _("I am ready"),
    "be_ready_again": _("Race again"),
    "be_not_ready": _("Not ready yet"),
    "start": _("Start now"),
    "try": _("Try the cards alone"),
    "wait_alone": _("Share the link: the race needs somebody to race against."),
    "wait_ready": _("The race starts when all are ready, or when the host starts it."),
    "wait_ready_host": _("The race starts when all are ready, or when you start it."),
    "wait_others": _("You are ready. Waiting for the others, or for the host to start."),
    "you_host": _("You are the host now."),
    "came": _("{name} is here."),
    "left": _("{name} has left."),
    # While a race is under way.
    "hole": _("Hole {hole} of {holes}"),
    "after_hole": _("After hole {hole} of {holes}"),
    "results": _("Results"),
    "race": pgettext_lazy("in a room", "Race {number}"),
    "starts_soon": _("The cards come in a moment."),
    "waiting_for_start": _("Waiting for somebody to come back."),
    "go": _("Go!"),
    "left_grace": _("For the others"),
    "is_late": _("You are in from the next hole. Until then you can watch."),
    "is_late_last": _("You are in from the next race. Until then you can watch."),
    "watches_only": _("A race is under way. Take a seat, and you are in as soon as it goes on."),
    "finished": _("{name} has finished."),
    "cleared": _("{name} has cleared all cards."),
    "hole_over": _("The hole is over."),
    "race_over": _("The race is over."),
    "your_place": _("You are in place {place}."),
    "won": _("You have won."),
    "shared_first": _("You share the first place."),
    # Rows of the standing.
    "cards": pgettext_lazy("cards left on the table", "Left"),
    "stock": _("Stock"),
    "streak": _("Streak"),
    "strokes": _("Strokes"),
    "mark_won": _("cleared"),
    "mark_final": _("finished"),
    "mark_late": _("from the next hole"),
    "watch": _("Watch"),
    "watch_name": _("Watch {name}"),
    "watching": _("You are watching {name}."),
    # The line to the server.
    "down": _("Connection lost. Reconnecting…"),
    "forbidden": _("You cannot come into this room."),
    "not_found": _("There is no such room."),
    "not_logged_in": _("You are no longer logged in. Log in to come back to this room."),
    "too_many": _("You have the site open in too many windows. Close one; we try again shortly."),
    "failed": _("That did not work. Please try again."),
}

#: In every language larger numbers take the form of their last two digits, after a hundred.
_NUMBERS: Final = range(200)

#: Why the socket refuses something.
_REFUSALS: Final = ("no_seat", "not_host", "race_running", "room_closed")

# Each sentence takes one number, `n`.
_COUNTED: Final[dict[str, Callable[[int], str]]] = {
    "holes": lambda n: ngettext("{n} hole", "{n} holes", n),
    "minutes": lambda n: ngettext("{n} minute each", "{n} minutes each", n),
    "grace_left": lambda n: ngettext(
        "{n} second is left for the others.", "{n} seconds are left for the others.", n
    ),
    "starts_in": lambda n: ngettext(
        "The cards come in {n} second.", "The cards come in {n} seconds.", n
    ),
}


def room_words() -> dict[str, Any]:
    """Return all that the page of a room says, in the language that is active, ready for JSON."""
    named = {rules.text: words.rules_name(rules) for rules in (EASY, CLASSIC, STRICT)}
    return {
        "say": {
            **{name: str(sentence) for name, sentence in _SENTENCES.items()},
            **{code: str(ERRORS[code]) for code in _REFUSALS},
        },
        "counted": {name: words.plural(said, _NUMBERS) for name, said in _COUNTED.items()},
        "emotes": {name: str(meaning) for name, meaning in EMOTES.items()},
        "rules": {**named, "": str(_("Custom rules"))},
        "ranking": {str(value): str(label) for value, label in Room.Ranking.choices},
        "level": str(pgettext_lazy("level with par", "E")),
        "language": get_language(),
    }

"""What a director saw of a thing when its form was opened, so that no older form undoes a change.

Whoever keeps a form says what was stored when it was opened (`seen`). If that is not what is stored
now, nothing is changed (``changed``), and who knows it may send the same again.
"""

import hashlib
import json
from typing import Any, Final

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.utils.translation import gettext as _

_LENGTH: Final = 20


def fingerprint(values: Any) -> str:
    """Return a short text that differs where anything of the values does."""
    text = json.dumps(values, default=str, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_LENGTH]


def changed_meanwhile() -> ValidationError:
    """Return the error ``changed``, about the form as a whole."""
    text = _(
        "Somebody else has changed this meanwhile. Load the page anew to see it, or send again to "
        "keep what you have written here."
    )
    return ValidationError({NON_FIELD_ERRORS: ValidationError(text, "changed")})

"""The reader's language and digits: chosen on any page, kept with the player, first the browser's.

The cookie speaks for a browser in which nobody is logged in; a player's own choice goes with the
player to every device, and there it wins.
"""

from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from games import services
from games.models import Player

#: Digits that Arabic is read with, by the names that Unicode gives them; the first is the default.
DIGITS: Final = ("latn", "arab")
DIGITS_COOKIE: Final = "digits"


@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Speak the form's `language`, or write with its `digits`, from now on; back to `next`."""
    url = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(
        url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        url = "/"
    response = redirect(url)
    chosen = {
        name: value
        for name, allowed in (("language", dict(settings.LANGUAGES)), ("digits", DIGITS))
        if (value := request.POST.get(name)) in allowed and value is not None
    }
    for name, value in chosen.items():
        _set_cookie(response, name, value)
    if chosen and isinstance(request.user, Player):
        services.set_preferences(player=request.user, **chosen)
    return response


def keep_choice(*, request: HttpRequest | None, user: Any, **kwargs: Any) -> None:
    """Keep what was chosen before the log-in with a player who has not chosen yet."""
    if request is None or not isinstance(user, Player) or "language" in user.preferences:
        return
    language = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME)
    if language is not None and language in dict(settings.LANGUAGES):
        services.set_preferences(player=user, language=language)


class PlayerLanguageMiddleware(MiddlewareMixin):
    """Speak the player's language where it differs from the browser's, and write `request.digits`.

    Comes after the authentication; Django's `LocaleMiddleware` before it has taken the language
    from the cookie or the browser. Like Django's own it has two halves that can be awaited: a
    thread that waits for the event loop would keep a server from ending while a page is answered.
    """

    def process_request(self, request: HttpRequest) -> None:
        """Take the player's language for this request."""
        preferences = _preferences(request)
        digits = preferences.get("digits", request.COOKIES.get(DIGITS_COOKIE))
        request.digits = digits if digits in DIGITS else DIGITS[0]  # type: ignore[attr-defined]
        language = preferences.get("language")
        if language not in dict(settings.LANGUAGES) or language == request.COOKIES.get(
            settings.LANGUAGE_COOKIE_NAME
        ):
            return
        translation.activate(language)
        request.LANGUAGE_CODE = translation.get_language()
        request.new_language = language  # type: ignore[attr-defined]

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Let the browser keep the language that was not its own."""
        language = getattr(request, "new_language", None)
        if language is not None and settings.LANGUAGE_COOKIE_NAME not in response.cookies:
            _set_cookie(response, "language", language)
        return response


def _preferences(request: HttpRequest) -> dict[str, Any]:
    """Return the preferences of whoever is logged in, without asking the database for nobody."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return {}
    preferences = request.user.preferences if isinstance(request.user, Player) else {}
    return preferences if isinstance(preferences, dict) else {}


def _set_cookie(response: HttpResponse, name: str, value: str) -> None:
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME if name == "language" else DIGITS_COOKIE,
        value,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        path=settings.LANGUAGE_COOKIE_PATH,
        domain=settings.LANGUAGE_COOKIE_DOMAIN,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite="Lax",
    )

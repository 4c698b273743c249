"""The reader's language: chosen on any page, kept with the player, first taken from the browser."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from games import services
from games.models import Player


@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Speak the language of the form's `language` from now on, on every device of the player."""
    response = set_language(request)
    language = request.POST.get("language", "")
    if isinstance(request.user, Player) and language in dict(settings.LANGUAGES):
        services.set_preferences(player=request.user, language=language)
    return response


class PlayerLanguageMiddleware:
    """Where the browser has no cookie of a language yet, the player's own is used and set.

    Comes after the authentication; Django's `LocaleMiddleware` before it has taken the language
    from the cookie or the browser.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer in the player's language."""
        language = self._language_of_player(request)
        if language is None:
            return self.get_response(request)
        translation.activate(language)
        request.LANGUAGE_CODE = translation.get_language()
        response = self.get_response(request)
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            language,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            path=settings.LANGUAGE_COOKIE_PATH,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            samesite=settings.LANGUAGE_COOKIE_SAMESITE,
        )
        patch_vary_headers(response, ["Cookie"])
        return response

    def _language_of_player(self, request: HttpRequest) -> str | None:
        """Return the language to change to, None to leave it as it is."""
        if settings.LANGUAGE_COOKIE_NAME in request.COOKIES:
            return None
        if settings.SESSION_COOKIE_NAME not in request.COOKIES:
            return None  # nobody is logged in: no need to ask the database
        if not isinstance(request.user, Player):
            return None
        language = request.user.preferences.get("language")
        return language if language in dict(settings.LANGUAGES) else None

"""What a link to a page shows in other places: Open Graph and its kin."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.translation import get_language_bidi


@dataclass(frozen=True, slots=True)
class Social:
    """Title, sentence and picture of a link; both addresses are whole ones.

    Without a picture the link is shown as text. `alt` says what the picture shows.
    """

    title: str
    description: str
    url: str
    image: str = ""
    alt: str = ""


def social(
    request: HttpRequest, *, title: str, description: str, image: str = "", alt: str = ""
) -> Social:
    """Return what the requested page shows of itself; `image` is the path of its picture."""
    return Social(
        title=title,
        description=description,
        url=request.build_absolute_uri(request.path),
        image=request.build_absolute_uri(image) if image else "",
        alt=alt,
    )


def in_order(figure: str) -> str:
    """Return a signed figure that keeps its order in a line from right to left, without markup."""
    return f"\u2066{figure}\u2069" if get_language_bidi() else figure

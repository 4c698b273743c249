"""What the board and the forms say, in the language of the page.

The board's scripts hold no sentence: they get this as JSON. A name in braces is a parameter that
the script fills in. Cards are named by whole phrases, since `{rank} of {suit}` cannot be put into
every language; where a number decides the form of a sentence, all its forms are sent with the form
that each number takes.
"""

from collections.abc import Callable
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import get_language, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from games.engine import CLASSIC, EASY, STRICT, RuleSet

CARD_NAMES: Final[dict[str, Promise]] = {
    "AS": _("ace of spades"),
    "2S": _("2 of spades"),
    "3S": _("3 of spades"),
    "4S": _("4 of spades"),
    "5S": _("5 of spades"),
    "6S": _("6 of spades"),
    "7S": _("7 of spades"),
    "8S": _("8 of spades"),
    "9S": _("9 of spades"),
    "TS": _("10 of spades"),
    "JS": _("jack of spades"),
    "QS": _("queen of spades"),
    "KS": _("king of spades"),
    "AH": _("ace of hearts"),
    "2H": _("2 of hearts"),
    "3H": _("3 of hearts"),
    "4H": _("4 of hearts"),
    "5H": _("5 of hearts"),
    "6H": _("6 of hearts"),
    "7H": _("7 of hearts"),
    "8H": _("8 of hearts"),
    "9H": _("9 of hearts"),
    "TH": _("10 of hearts"),
    "JH": _("jack of hearts"),
    "QH": _("queen of hearts"),
    "KH": _("king of hearts"),
    "AD": _("ace of diamonds"),
    "2D": _("2 of diamonds"),
    "3D": _("3 of diamonds"),
    "4D": _("4 of diamonds"),
    "5D": _("5 of diamonds"),
    "6D": _("6 of diamonds"),
    "7D": _("7 of diamonds"),
    "8D": _("8 of diamonds"),
    "9D": _("9 of diamonds"),
    "TD": _("10 of diamonds"),
    "JD": _("jack of diamonds"),
    "QD": _("queen of diamonds"),
    "KD": _("king of diamonds"),
    "AC": _("ace of clubs"),
    "2C": _("2 of clubs"),
    "3C": _("3 of clubs"),
    "4C": _("4 of clubs"),
    "5C": _("5 of clubs"),
    "6C": _("6 of clubs"),
    "7C": _("7 of clubs"),
    "8C": _("8 of clubs"),
    "9C": _("9 of clubs"),
    "TC": _("10 of clubs"),
    "JC": _("jack of clubs"),
    "QC": _("queen of clubs"),
    "KC": _("king of clubs"),
    "*": _("joker"),
}

#: The corner of a card.
RANK_INDEX: Final[dict[str, Promise | str]] = {
    "A": pgettext_lazy("index of an ace", "A"),
    **{rank: rank for rank in "23456789"},
    "T": "10",
    "J": pgettext_lazy("index of a jack", "J"),
    "Q": pgettext_lazy("index of a queen", "Q"),
    "K": pgettext_lazy("index of a king", "K"),
    "*": "",
}

#: A rank as the place where a card may go: "7♣ goes on *a 6* or *an 8*".
_ONTO: Final[dict[str, Promise]] = {
    "A": pgettext_lazy("goes on …", "an ace"),
    "2": pgettext_lazy("goes on …", "a 2"),
    "3": pgettext_lazy("goes on …", "a 3"),
    "4": pgettext_lazy("goes on …", "a 4"),
    "5": pgettext_lazy("goes on …", "a 5"),
    "6": pgettext_lazy("goes on …", "a 6"),
    "7": pgettext_lazy("goes on …", "a 7"),
    "8": pgettext_lazy("goes on …", "an 8"),
    "9": pgettext_lazy("goes on …", "a 9"),
    "T": pgettext_lazy("goes on …", "a 10"),
    "J": pgettext_lazy("goes on …", "a jack"),
    "Q": pgettext_lazy("goes on …", "a queen"),
    "K": pgettext_lazy("goes on …", "a king"),
    "*": pgettext_lazy("goes on …", "a joker"),
}

_SENTENCES: Final[dict[str, Promise]] = {
    # The names of what lies on the table.
    "cell_free": _("{card}, free, column {column}"),
    "cell_playable": _("{card}, free, can be played, column {column}"),
    "cell_covered": _("{card}, covered, column {column}, row {row}"),
    "cell_empty": _("column {column}, empty"),
    "cell_waste": _("waste: {card}"),
    "cell_waste_empty": _("waste, empty"),
    # The whole board as text.
    "board": _("Stock: {stock}; waste: {waste}. {columns}."),
    "board_column": _("column {column}: {cards} (free: {free})"),
    "board_column_empty": _("column {column}: empty"),
    "between_cards": _(", "),
    "between_columns": _("; "),
    "board_waste_empty": _("empty"),
    # Why something is refused.
    "not_adjacent": _("{card} goes on {ranks}; the waste shows {waste}."),
    "covered": _("{card} is still covered by {by}."),
    "king_blocks": _("Under these rules nothing goes on a king: draw a card instead of {card}."),
    "king_blocks_ace": _("Under these rules only an ace goes on a king, and this is {card}."),
    "stock_empty": _("The stock is empty."),
    "must_play": _("A card still fits: it has to be played before the next draw."),
    "empty_column": _("Column {column} is empty."),
    "no_such_column": _("There are seven columns, 1 to 7."),
    "nothing_to_undo": _("There is nothing to take back."),
    "undo_off": _("This game is played without undo."),
    "hint_off": _("This game is played without hints."),
    "no_hint": _("There is no move left to suggest."),
    "game_over": _("This game is over."),
    "stale_turn": _("The game has gone on elsewhere; this is how it stands now."),
    "not_started": _("This game has not begun yet."),
    "closed": _("Time is up: this game is closed."),
    # What a hint says.
    "hint_play": _("Hint: {card} in column {column} starts the longest run."),
    "hint_draw": _("Hint: draw a card."),
    # What has happened, for those who listen.
    "undone": _("Taken back. The waste shows {waste}."),
    "undone_empty": _("Taken back. The waste is empty."),
    "elsewhere": _("A move was made in another window. The waste shows {waste}."),
    # The time.
    "last_minute": _("Less than a minute is left."),
    "more_time": _("You have been given more time."),
    # The end.
    "title_won": _("All cleared"),
    "title_blocked": _("No move is left"),
    "title_given_up": _("Given up"),
    "title_closed": _("Time is up"),
    # The line to the server.
    "connecting": _("Fetching the cards…"),
    "reconnecting": _("Connection lost. You can play on while we reconnect…"),
    "reconnecting_wait": _("Connection lost. The next card comes when we are back…"),
    "reconnecting_only": _("Connection lost. Reconnecting…"),
    "reconnected": _("Connected again."),
    "unavailable": _("The move could not be stored yet. Trying again…"),
    "throttled": _("One moment: that was faster than the table can follow."),
    "error": _("Something went wrong; the board has been fetched again."),
    "not_logged_in": _("You are no longer logged in. Log in to go on with this game."),
    "forbidden": _("This game belongs to another player."),
    "not_found": _("There is no such game."),
    "damaged": _("The moves of this game cannot be read. Whoever organises it has been told."),
    "too_many": _("This game is open in too many windows. Close one; we try again shortly."),
}

# Each sentence takes one number, `n`. A function, so that the strings are found for translation.
_COUNTED: Final[dict[str, Callable[[int], str]]] = {
    "cell_stock": lambda n: ngettext("stock: {n} card", "stock: {n} cards", n),
    "stock_cards": lambda n: ngettext("{n} card", "{n} cards", n),
    "played": lambda n: ngettext(
        "{card} played. {n} card left.", "{card} played. {n} cards left.", n
    ),
    "drawn": lambda n: ngettext(
        "{card} drawn. {n} card in the stock.", "{card} drawn. {n} cards in the stock.", n
    ),
    "stock_spared": lambda n: ngettext(
        "{n} card was left in the stock.", "{n} cards were left in the stock.", n
    ),
    "cards_left": lambda n: ngettext(
        "{n} card is left on the table.", "{n} cards are left on the table.", n
    ),
}

#: What the page says while somebody races a ghost.
_GHOST: Final[dict[str, Promise]] = {
    "ghost": _("Ghost of {name}"),
    "you": _("you"),
    "strokes": _("Strokes"),
    "cards": pgettext_lazy("cards left on the table", "Left"),
    "stock": _("Stock"),
    "streak": _("Streak"),
    "mark_won": _("cleared"),
    "mark_final": _("finished"),
    "ended": _("The ghost of {name} has finished. Strokes: {strokes}."),
    "won": _("You have beaten the ghost of {name}."),
    "lost": _("The ghost of {name} has won."),
    "level": _("You and the ghost of {name} are level."),
    "figures": _("Strokes: {own} against {other}. Time: {time} against {other_time}."),
}

#: What is wrong with a name, by the code of `games.names.BadName`.
NAME_ERRORS: Final[dict[str, Promise]] = {
    "characters": _(
        "Please leave out control characters and marks that turn the direction of text."
    ),
    "empty": _("A name needs a letter or a digit."),
    "mixed_scripts": _("Please write each word with the letters of one alphabet."),
}

#: Whatever is counted aloud are cards.
_NUMBERS: Final = range(55)


def card_name(card: str) -> str:
    """Return the name of a card in full, `7 of clubs`."""
    return str(CARD_NAMES[card])


def rank_index(rank: str) -> str:
    """Return what stands in the corner of a card of a rank."""
    return str(RANK_INDEX[rank])


def rules_name(rules: RuleSet) -> str:
    """Return the name of a rule set."""
    names = {EASY: _("Easy"), CLASSIC: _("Classic"), STRICT: _("Strict")}
    return str(names.get(rules, _("Custom rules")))


def plural(sentence: Callable[[int], str], numbers: range = _NUMBERS) -> dict[str, Any]:
    """Return the forms of a sentence, and for each number, of cards, which one it takes."""
    forms: list[str] = []
    chosen = []
    for number in numbers:
        form = sentence(number)
        if form not in forms:
            forms.append(form)
        chosen.append(str(forms.index(form)))
    return {"forms": forms, "of": "".join(chosen)}


def board_words() -> dict[str, Any]:
    """Return all that the board says, in the language that is active, ready for JSON."""
    return {
        "cards": {card: str(name) for card, name in CARD_NAMES.items()},
        "ranks": {rank: str(index) for rank, index in RANK_INDEX.items()},
        "onto": {rank: str(phrase) for rank, phrase in _ONTO.items()},
        "say": {name: str(sentence) for name, sentence in _SENTENCES.items()},
        "counted": {name: plural(sentence) for name, sentence in _COUNTED.items()},
        "level": str(pgettext_lazy("level with par", "E")),
    }


def ghost_words() -> dict[str, Any]:
    """Return what is said of a race against a ghost, ready for JSON, with the language of it."""
    said = {name: str(sentence) for name, sentence in _GHOST.items()}
    return {"language": get_language(), "say": said}

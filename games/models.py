"""What is stored of a game: who plays which cards under which rules, and every action.

The moves are the truth. The figures on a `Game` are a copy made from them by
`games.services.refresh_figures`, so that lists need not replay anything.
"""

from typing import Any, ClassVar, Final

from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.translation import gettext_lazy as _

from games import names, words
from games.engine import Best, RuleSet

#: Characters of a public id that nobody mistakes for one another.
_PUBLIC_ID_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"

#: The settings of the board: the values that each may have, the one that it starts with first.
BOARD_SETTINGS: Final[dict[str, tuple[str | bool, ...]]] = {
    "theme": ("auto", "light", "dark"),
    "four_colours": (False, True),
    "big_cards": (False, True),
    "left_hand": (False, True),
    "motion": ("normal", "slow", "fast", "off"),
    "sound": (False, True),
    "clock": (True, False),
    "zen": (False, True),
    "show_playable": (False, True),
    "explain": (True, False),
    "auto_draw": (False, True),
    "keys": (True, False),
}


def new_public_id() -> str:
    """Return an unguessable id for an address: twelve characters, about 59 random bits."""
    return get_random_string(12, _PUBLIC_ID_ALPHABET)


def new_share_token() -> str:
    """Return an unguessable address for a shared game: sixteen characters, about 79 random bits."""
    return get_random_string(16, _PUBLIC_ID_ALPHABET)


def username_key_of(username: str) -> str:
    """Return the key under which user names that look alike are one.

    It is shorter than its column, so that a key that is taken can get an addition.
    """
    return names.skeleton(username)[:200]


class Player(AbstractUser):
    """Anyone who plays: an account with a password, or a guest known by the session alone.

    `username_key` is the key of an account's user name (`username_key_of`), which one account only
    can have. Two that had look-alike names before there were keys keep them: the key of one has
    a space and a number added. `page_id` is the address of the page with the figures, which
    everybody sees while `is_public`.
    """

    name = models.CharField(
        _("name on the board"),
        max_length=30,
        help_text=_("What other players see."),
    )
    username_key = models.CharField(
        _("key of the user name"),
        max_length=255,
        unique=True,
        null=True,
        blank=True,
        editable=False,
    )
    is_guest = models.BooleanField(_("guest"), default=False)
    is_public = models.BooleanField(
        _("public"), default=False, help_text=_("Everybody may see the page with the figures.")
    )
    page_id = models.CharField(max_length=12, unique=True, null=True, blank=True, editable=False)
    deleted_at = models.DateTimeField(
        _("deleted"),
        null=True,
        blank=True,
        editable=False,
        help_text=_("Since when nothing but results is left, under a pseudonym."),
    )
    preferences = models.JSONField(_("preferences"), default=dict, blank=True)

    class Meta:
        verbose_name = _("player")
        verbose_name_plural = _("players")
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                name="public_player_has_a_page", condition=Q(is_public=False) | ~Q(page_id=None)
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.username

    def clean(self) -> None:
        """Raise `ValidationError` for a new user name that people could not tell from another.

        At `username`, with the code ``unique`` or one of `games.names.BadName`.
        """
        super().clean()
        if self.is_guest or not self.username or self._has_key():
            return
        try:
            names.check(self.username)
        except names.BadName as error:
            said = ValidationError(str(words.NAME_ERRORS[error.code]), error.code)
            raise ValidationError({"username": said}) from error
        keys = [reading[:200] for reading in names.readings(self.username)]
        if Player.objects.exclude(pk=self.pk).filter(username_key__in=keys).exists():
            said = ValidationError(
                _("This user name is taken, or looks like one that is."), "unique"
            )
            raise ValidationError({"username": said})

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Keep the key in step with the user name, whoever saves the player."""
        fields = kwargs.get("update_fields")
        is_named = fields is None or "username" in fields
        if is_named and not self.is_guest and not self._has_key():
            self.username_key = username_key_of(self.username)
            if fields is not None:
                kwargs["update_fields"] = {*fields, "username_key"}
        super().save(*args, **kwargs)

    def _has_key(self) -> bool:
        """Return whether the key is that of the user name, perhaps with a number added."""
        key = username_key_of(self.username)
        return self.username_key == key or (self.username_key or "").startswith(f"{key} ")

    @property
    def board_settings(self) -> dict[str, str | bool]:
        """What the player has chosen of `BOARD_SETTINGS`; anything else stored is left out."""
        return {
            name: self.preferences[name]
            for name, values in BOARD_SETTINGS.items()
            if name in self.preferences and self.preferences[name] in values
        }


class AccountEvent(models.Model):
    """Something that was done to an account: written once by `games.services`, never changed.

    `by` is who did it, the player or somebody of the staff; None for nobody who was logged in.
    """

    class Kind(models.TextChoices):
        """What was done; `note` says the rest."""

        BECAME_ACCOUNT = "became_account", _("guest became an account")
        MERGED = "merged", _("guest's games taken over")
        RENAMED = "renamed", _("renamed")
        PASSWORD_CHANGED = "password_changed", _("password changed")
        PASSWORD_LINK_ISSUED = "password_link_issued", _("password link issued")
        PASSWORD_LINK_VOID = "password_link_void", _("password link made void")
        PASSWORD_RESET = "password_reset", _("password set by a link")
        DEACTIVATED = "deactivated", _("shut")
        ACTIVATED = "activated", _("opened again")
        DELETED = "deleted", _("deleted")

    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="account_events", verbose_name=_("player")
    )
    kind = models.CharField(_("event"), max_length=20, choices=Kind.choices)
    by = models.ForeignKey(
        Player,
        on_delete=models.PROTECT,
        related_name="account_events_by",
        verbose_name=_("by"),
        null=True,
        blank=True,
    )
    at = models.DateTimeField(_("time"), auto_now_add=True)
    note = models.CharField(_("note"), max_length=255, blank=True)

    class Meta:
        verbose_name = _("account event")
        verbose_name_plural = _("account events")
        ordering: ClassVar[list[Any]] = ["-id"]
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["player", "-id"], name="event_of_player"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.player}"


class Arrival(models.Model):
    """Somebody who became a guest or asked for an account; kept for an hour, to count by address.

    `address` is what `games.addresses.client_address` makes of the visitor's.
    """

    address = models.GenericIPAddressField(_("address"))
    at = models.DateTimeField(_("time"), default=timezone.now)

    class Meta:
        verbose_name = _("arrival")
        verbose_name_plural = _("arrivals")
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["address", "at"], name="arrivals_from_address"),
            models.Index(fields=["at"], name="arrivals_to_forget"),
        ]

    def __str__(self) -> str:
        return f"{self.address} {self.at}"


class Game(models.Model):
    """One play of one deal by one player.

    `deal_code` names the cards and the rule set (`games.engine.GameCode`); `is_secret` keeps it
    from everybody until the competition that it belongs to is over. `closes_at` is the deadline:
    no action that arrives later counts, and none before `started_at`. The figures are a copy of
    what the engine makes of the moves; where these cannot be replayed, `damaged_at` says since when
    that is known.
    """

    class State(models.TextChoices):
        """How the play stands; `blocked` is at its end once `finished_at` is set."""

        PLAYING = "playing", _("playing")
        WON = "won", _("won")
        BLOCKED = "blocked", _("no move left")
        GIVEN_UP = "given_up", _("given up")
        CLOSED = "closed", _("closed by the deadline")

    public_id = models.CharField(max_length=12, unique=True, default=new_public_id, editable=False)
    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="games", verbose_name=_("player")
    )
    deal_code = models.CharField(_("game code"), max_length=40)
    is_secret = models.BooleanField(_("cards are secret"), default=False)
    undo_allowed = models.BooleanField(_("undo allowed"), default=True)
    hints_allowed = models.BooleanField(_("hints allowed"), default=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    started_at = models.DateTimeField(
        _("started"),
        null=True,
        blank=True,
        help_text=_("When the cards were first sent, or will be: a race has one instant for all."),
    )
    closes_at = models.DateTimeField(_("closes"), null=True, blank=True)
    limit_ms = models.PositiveBigIntegerField(
        _("time limit in ms"),
        null=True,
        blank=True,
        help_text=_("From the first sending of the cards; the deadline is set by it then."),
    )
    damaged_at = models.DateTimeField(
        _("damaged"),
        null=True,
        blank=True,
        editable=False,
        help_text=_("When its moves were found not to be those of a game."),
    )
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)

    state = models.CharField(_("state"), max_length=8, choices=State.choices, default=State.PLAYING)
    turn = models.PositiveIntegerField(_("actions"), default=0)
    cleared = models.PositiveSmallIntegerField(_("cleared"), default=0)
    left = models.PositiveSmallIntegerField(_("left"), default=35)
    stock_left = models.PositiveSmallIntegerField(_("stock left"), default=16)
    moves_made = models.PositiveIntegerField(_("moves"), default=0)
    undos = models.PositiveIntegerField(_("undos"), default=0)
    hints = models.PositiveIntegerField(_("hints"), default=0)
    app_score = models.PositiveSmallIntegerField(_("app score"), default=0)
    strokes = models.SmallIntegerField(_("strokes"), default=35)
    strokes_below_par = models.SmallIntegerField(_("strokes, below par"), default=35)
    streak_score = models.PositiveIntegerField(_("streak score"), default=0)
    longest_streak = models.PositiveSmallIntegerField(_("longest streak"), default=0)
    time_ms = models.PositiveBigIntegerField(
        _("time in ms"),
        default=0,
        help_text=_("From the first action to the last; of a race from the start."),
    )
    feed = models.CharField(
        max_length=40,
        blank=True,
        editable=False,
        help_text=_("The room that hears how the game goes, of a race."),
    )
    given = models.PositiveSmallIntegerField(
        _("given actions"),
        default=0,
        editable=False,
        help_text=_("So many first actions were not the player's: the game began from a position."),
    )
    share_token = models.CharField(
        _("share link"),
        max_length=16,
        unique=True,
        null=True,
        blank=True,
        editable=False,
        help_text=_("Set while the player shares the finished game: who has the link sees it."),
    )

    class Meta:
        verbose_name = _("game")
        verbose_name_plural = _("games")
        ordering: ClassVar[list[Any]] = ["-id"]
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["player", "-id"], name="game_of_player"),
            models.Index(
                fields=["closes_at"], name="game_with_deadline", condition=Q(finished_at=None)
            ),
        ]
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                name="game_cards_add_up", condition=Q(cleared=35 - F("left"), left__lte=35)
            ),
            models.CheckConstraint(name="game_score_in_range", condition=Q(app_score__lte=350)),
            models.CheckConstraint(
                name="game_ends_after_it_starts",
                condition=Q(finished_at=None) | Q(finished_at__gte=F("started_at")),
            ),
            models.CheckConstraint(
                name="game_finished_is_not_playing",
                condition=Q(finished_at=None) | ~Q(state="playing"),
            ),
            models.CheckConstraint(
                name="game_shared_is_over_and_open",
                condition=Q(share_token=None) | Q(finished_at__isnull=False, is_secret=False),
            ),
            models.CheckConstraint(
                name="game_from_a_position_is_practice", condition=Q(given=0) | Q(is_secret=False)
            ),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def rules(self) -> RuleSet:
        """The rule set that the code carries; it is no secret."""
        return RuleSet.parse(self.deal_code.split("-")[1])


class Move(models.Model):
    """One accepted action of a game: written once by `games.journal`, never changed.

    `turn` counts from 0; `action` is `1` to `7`, `d`, `u`, `h`, `g`, or `c` for a deadline;
    `ms` are milliseconds since the game's start.
    """

    pk = models.CompositePrimaryKey("game_id", "turn")
    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="moves")
    turn = models.PositiveIntegerField()
    action = models.CharField(max_length=1, validators=[RegexValidator(r"^[1-7duhgc]$")])
    ms = models.PositiveBigIntegerField()

    class Meta:
        verbose_name = _("move")
        verbose_name_plural = _("moves")
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                name="move_action_known", condition=Q(action__in=list("1234567duhgc"))
            ),
        ]

    def __str__(self) -> str:
        return f"{self.turn} {self.action}"


class BestResult(models.Model):
    """The best that a deal can come to under a rule set: written once, by `games.analysis`.

    `deal` and `rules` are the two parts of the game code. `stock_left` is None where the columns
    cannot be cleared. `line` is a game that reaches it. Whoever sees one can play the deal, so it
    is as secret as the deal is.
    """

    deal = models.CharField(_("deal"), max_length=30)
    rules = models.CharField(_("rule set"), max_length=6)
    cleared = models.PositiveSmallIntegerField(_("cleared"))
    stock_left = models.PositiveSmallIntegerField(_("stock left"), null=True, blank=True)
    line = models.CharField(_("line"), max_length=54)

    class Meta:
        verbose_name = _("best result")
        verbose_name_plural = _("best results")
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(name="best_result_of_deal", fields=["deal", "rules"]),
            models.CheckConstraint(
                name="best_result_adds_up",
                condition=Q(cleared=35, stock_left__isnull=False)
                | Q(cleared__lt=35, stock_left=None),
            ),
        ]

    def __str__(self) -> str:
        # No code, since it may be secret still.
        return f"{self.rules}: {self.best.strokes}"

    @property
    def best(self) -> Best:
        """The result, with its strokes and its app score."""
        return Best(self.cleared, self.stock_left)

"""What a club or a tournament refuses."""

from django.core.exceptions import PermissionDenied


class TournamentError(Exception):
    """Something that the club or the tournament does not allow, with a stable `code`.

    Of entering: ``not_published``, ``closed``, ``entries_closed``, ``full``, ``members_only``,
    ``guests_not_welcome``, ``banned``, ``division_needed``, ``no_such_division``; ``withdrawn`` and
    ``removed`` of who was there and is not to come back.
    Of starting a hole: ``not_started`` (it has not opened yet), ``closed`` (its time is over),
    ``round_not_started``, ``round_closed``, ``cut_pending`` (the cut after the round before is to
    come), ``time_over`` (one's own time), ``no_such_hole``, ``previous_hole`` (holes
    are played in order), and why an entry plays no more: ``withdrawn``, ``disqualified``,
    ``missed_cut``, ``removed``, ``not_entered``.
    ``has_results``: what has results is kept. ``not_frozen``: no figure is kept back.
    ``revealed``: the cards are open to all.
    Of clubs: ``not_allowed``: the player's role does not go so far. ``guest``: a guest cannot
    belong to a club. ``banned``. ``invitation``: its invitation link is needed, and this is not
    it. ``password``: not the club's. ``too_many_tries``: of a password. ``not_listed``: who is on
    its list may join, nobody else. ``not_a_member``. ``last_owner``: a club keeps an owner.
    ``too_many_clubs``: one player owns so many already. ``other_tablet``: the browser is the
    tablet of another club. ``more_rights``: the player may do more elsewhere than in this club,
    so his password is not for its directors.
    Of the steps in its life: ``bad_step``: there is no such step from where it is. ``still_open``:
    its time is not over. ``has_entries``: somebody has entered. ``is_template``: a recurring
    tournament is a copy of it.
    Of corrections: ``draft``: nobody takes part yet. ``final``: it must be reopened first.
    ``revealed``: the cards are known to all. ``changed_meanwhile``: somebody else has decided about
    the same thing. ``unchanged``: there is nothing to take back. ``in_play``: the hole is being
    played. ``not_playing``: the entry does not compete. ``already_entered``. ``banned``.
    ``no_such_division``.
    Of rooms: ``too_many_rooms``: one player hosts so many already. ``room_closed``: nobody meets
    there any more. ``room_full``. ``removed_seat``: the host has taken the seat away. ``no_seat``:
    there is no such seat, or the player has none. ``own_seat``: one's own is left, not taken away.
    ``not_host``: that is for the host. ``race_running``: not while a race is under way.
    ``in_room``: a race is entered, and its holes are started, in its room only.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class NotAllowed(TournamentError, PermissionDenied):
    """The player's role does not go so far: the code ``not_allowed``.

    Pages ask before they call a service. Where the role was taken away in between, nobody need
    catch this: Django answers what it answers to all that is not allowed.
    """

    def __init__(self) -> None:
        super().__init__("not_allowed")

"""A tournament that is over and had everything that a bundle has to show."""

from datetime import timedelta

from django.utils import timezone

from games.engine import RuleSet
from games.models import Player
from tournaments import services
from tournaments.models import Division, Entry, Tournament
from tournaments.selectors.bundles import bundle_of

from .factories import (
    let_time_pass,
    new_account,
    new_entry,
    new_member,
    new_tournament,
    play,
    play_hole,
    play_holes,
    set_rounds,
)


def finished(**fields: object) -> Tournament:
    """Ties, a countback, a cut, corrections of every kind, holes that were not played.

    Two rounds of Classic with undo and hints; strokes below par rank, ties are parted by countback,
    and what was not played counts as the worst.
    """
    values: dict[str, object] = {
        "rules": RuleSet.parse("C"),
        "holes": 10,
        "strokes_kind": Tournament.StrokesKind.BELOW_PAR,
        "tie_break": Tournament.TieBreak.COUNTBACK,
        "unplayed": Tournament.Unplayed.WORST,
        "undo_allowed": True,
        "hints_allowed": True,
        "divisions": ("Juniors", "Seniors"),
    }
    tournament = new_tournament(**{**values, **fields})
    set_rounds(tournament, (-1, 1), (2, 3), cut_to=4)
    _juniors, seniors = Division.objects.filter(tournament=tournament).order_by("pk")
    director = new_member(tournament.club, "Dora", role="director")
    names = ("Ann", "Bo «the ace»", "Cyrus", "Дора", "Eve", "Finn", "Gil", "Hal", "Ida")
    ann, bo, cyrus, dora, eve, finn, gil, hal, ida = (new_entry(tournament, name) for name in names)
    play_holes(ann)
    play_holes(bo)  # plays as Ann does, so they share a place
    play_hole(cyrus, 1, "hdug")
    play_hole(cyrus, 2, "dddg")
    play_holes(cyrus, first=3, last=4)
    for number in range(5, 10):
        play_hole(cyrus, number, "g")
    play_holes(dora, last=3)
    for number in range(4, 9):
        play_hole(dora, number, "dg")
    play(services.start_hole(entry=dora, number=9).game, "dd")  # to be closed where it lies
    for number in range(1, 10):
        play_hole(hal, number, "g")
    for entry in (eve, finn, gil):
        play_hole(entry, 1, "dg")
    services.open_deals(tournament=tournament, by=director)
    division = tournament.divisions.first()
    play_hole(services.enter(tournament=tournament, player=director, division=division), 1, "g")
    late = new_account("Late")
    services.add_player(
        tournament=tournament, player=late, by=director, reason="The bus", division=seniors
    )
    _play_second_round(tournament, ann, bo, director)
    tournament.refresh_from_db()
    services.disqualify(entry=eve, by=director, reason="Two at one board")
    services.withdraw_entry(entry=finn, by=director, reason="Asked for it")
    services.hide_entry(entry=gil, by=director, reason="A test")
    services.disqualify(entry=cyrus, by=director, reason="A mistake")
    services.reinstate(entry=cyrus, by=director, reason="It was one")
    services.adjust_hole(
        entry=cyrus, number=1, strokes=4, app_score=270, by=director, reason="The page hung"
    )
    services.adjust_hole(
        entry=cyrus, number=2, strokes=9, app_score=0, by=director, reason="Wrong hole"
    )
    services.restore_hole(entry=cyrus, number=2, by=director, reason="Wrong hole, indeed")
    services.adjust_hole(
        entry=ida,
        number=3,
        strokes=services.lowest_strokes(tournament=tournament),
        app_score=350,
        by=director,
        reason="Played on paper",
    )
    services.void_hole(tournament=tournament, number=7, by=director, reason="A card was missing")
    services.void_hole(tournament=tournament, number=8, by=director, reason="So it seemed")
    services.unvoid_hole(tournament=tournament, number=8, by=director, reason="It was not")
    services.change_division(entry=dora, division=seniors, by=director, reason="Her birthday")
    return Tournament.objects.select_related("club").get(pk=tournament.pk)


def _play_second_round(tournament: Tournament, ann: Entry, bo: Entry, director: Player) -> None:
    """Cut the field, play on, and come to the end."""
    let_time_pass(tournament, timedelta(minutes=90))
    services.close_games_due(now=timezone.now(), tournament=tournament)
    assert services.make_cuts(now=timezone.now()) == 1
    let_time_pass(tournament, timedelta(minutes=60))
    ann.refresh_from_db()
    services.extend_window(
        entry=ann, until=tournament.closes_at + timedelta(hours=2), by=director, reason="Illness"
    )
    for entry in (ann, bo):
        play_hole(entry, 10)
    let_time_pass(tournament, timedelta(hours=6))
    assert services.close_due(now=timezone.now()) == 1


def bundle(tournament: Tournament) -> bytes:
    return b"".join(bundle_of(tournament=tournament))

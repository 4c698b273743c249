"""Give what was stored before rounds, statuses and names on boards existed its own."""

from typing import Any

from django.db import migrations

from tournaments.models.clubs import new_invitation


def fill(apps: Any, schema_editor: Any) -> None:
    Tournament = apps.get_model("tournaments", "Tournament")
    Round = apps.get_model("tournaments", "Round")
    for tournament in Tournament.objects.all():
        # All of them were public from the start.
        tournament.status = "open" if tournament.closed_at is None else "final"
        tournament.save(update_fields=["status"])
        holes = tournament.holes.order_by("number")
        for number in range(1, -(-holes.count() // 9) + 1):
            whole = Round.objects.create(
                tournament=tournament,
                number=number,
                opens_at=tournament.opens_at,
                closes_at=tournament.closes_at,
            )
            holes.filter(number__gt=9 * (number - 1), number__lte=9 * number).update(round=whole)
        _name(tournament)
    # They have been open to guests, and to everybody.
    for club in apps.get_model("tournaments", "Club").objects.all():
        club.joining, club.guests_welcome, club.invitation = "open", True, new_invitation()
        club.save(update_fields=["joining", "guests_welcome", "invitation"])


def _name(tournament: Any) -> None:
    taken: set[str] = set()
    for entry in tournament.entries.select_related("player").order_by("pk"):
        name, number = entry.player.name, 1
        while name.casefold() in taken:
            number += 1
            name = f"{entry.player.name} ({number})"
        taken.add(name.casefold())
        entry.name, entry.name_key = name, name.casefold()
        entry.save(update_fields=["name", "name_key"])


class Migration(migrations.Migration):

    dependencies = [("tournaments", "0003_the_life_of_a_tournament")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]

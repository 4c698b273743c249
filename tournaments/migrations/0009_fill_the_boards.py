"""Let entries of before keep their final holes, as `tournaments.services.refresh_entry` does."""

import json
from typing import Any

from django.db import migrations


def fill(apps: Any, schema_editor: Any) -> None:
    Entry = apps.get_model("tournaments", "Entry")
    HoleResult = apps.get_model("tournaments", "HoleResult")
    for entry_id in Entry.objects.order_by("pk").values_list("pk", flat=True):
        results = HoleResult.objects.filter(entry=entry_id, is_final=True)
        played = [
            [
                result.hole.number,
                result.strokes,
                result.app_score,
                result.game.time_ms,
                int(result.game.finished_at.timestamp() * 1000),
                result.game.undos,
                result.game.hints,
                result.is_corrected,
            ]
            for result in results.select_related("game", "hole").order_by("hole__number")
            # Nothing before this could make a hole final without a game.
            if result.game is not None and result.game.finished_at is not None
        ]
        if played:
            Entry.objects.filter(pk=entry_id).update(
                played=json.dumps(played, separators=(",", ":"))
            )


class Migration(migrations.Migration):

    dependencies = [("tournaments", "0008_boards")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]

"""What a migration does to a site that has been played on."""

from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from games.names import skeleton

BEFORE = [("games", "0004_feed")]
AFTER = [("games", "0005_accounts")]


def migrate(targets: list[tuple[str, str]]) -> Any:
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return MigrationExecutor(connection).loader.project_state(targets).apps


@pytest.mark.django_db(transaction=True)
def test_accounts_that_clash_all_get_keys() -> None:
    every = MigrationExecutor(connection).loader.graph.leaf_nodes()
    try:
        players = migrate(BEFORE).get_model("games", "Player").objects
        made = [
            players.create(username=username, name="N", is_guest=username.startswith("guest-"))
            for username in ("Aino", "boris", "AINO", "guest-abc", "аino", "ainо", "محمد")
        ]
        keys = dict(
            migrate(AFTER).get_model("games", "Player").objects.values_list("pk", "username_key")
        )
        first, boris, second, guest, third, fourth, last = (keys[player.pk] for player in made)
        assert (first, boris, guest, last) == ("aino", "boris", None, skeleton("محمد"))
        assert [second, third, fourth] == [f"aino {made[n].pk}" for n in (2, 4, 5)]
        assert len({key for key in keys.values() if key}) == 6
    finally:
        migrate(every)

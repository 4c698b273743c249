import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from games.locks import held
from games.models import Game


@pytest.mark.django_db
def test_rows_are_held_without_their_keys_and_without_what_is_joined() -> None:
    with transaction.atomic(), CaptureQueriesContext(connection) as asked:
        list(held(Game.objects).select_related("player").order_by("pk"))
    (query,) = asked.captured_queries
    expected = {"postgresql": 'FOR NO KEY UPDATE OF "games_game"', "sqlite": ""}
    _before, _order, end = query["sql"].partition('ORDER BY "games_game"."id" ASC')
    assert end.strip() == expected[connection.vendor]

"""What is written about players and games; the deadline is tested with the open games."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import timezone

from games import journal, selectors, services
from games.engine import CLASSIC, EASY
from games.journal import Row
from games.models import Game, Player
from tests.games.factories import (
    PUBLISHED,
    PUBLISHED_LINE,
    games_written,
    new_game,
    new_player,
)

pytestmark = pytest.mark.django_db


def test_a_guest_has_a_name_and_no_password() -> None:
    anna, other = services.create_guest(name="Anna"), services.create_guest(name="Anna")
    assert (str(anna), anna.is_guest, anna.has_usable_password()) == ("Anna", True, False)
    assert anna.username != other.username


def test_an_account_can_log_in() -> None:
    player = services.sign_up(username="anna", name="Anna", password="a good long phrase")
    assert (player.is_guest, player.check_password("a good long phrase")) == (False, True)


@pytest.mark.parametrize(
    ("fields", "at"),
    [
        ({"username": "anna"}, "username"),
        ({"username": "an na"}, "username"),
        ({"username": ""}, "username"),
        ({"name": "x" * 31}, "name"),
    ],
)
def test_a_bad_account_is_refused_where_it_is_bad(fields: dict[str, str], at: str) -> None:
    services.sign_up(username="anna", name="Anna", password="a good long phrase")
    good = {"username": "boris", "name": "Boris", "password": "a good long phrase"}
    with pytest.raises(ValidationError) as refused:
        services.sign_up(**(good | fields))
    assert list(refused.value.message_dict) == [at]
    assert Player.objects.count() == 1


def test_a_weak_password_is_refused() -> None:
    with pytest.raises(ValidationError):
        services.sign_up(username="anna", name="Anna", password="password")
    assert Player.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_of_two_who_want_one_user_name_at_once_one_gets_it() -> None:
    outcomes: list[Any] = []
    together = threading.Barrier(2)

    def sign_up() -> None:
        together.wait()
        try:
            services.sign_up(username="anna", name="Anna", password="a good long phrase")
            outcomes.append("signed up")
        except ValidationError as error:
            outcomes.append(list(error.message_dict))
        finally:
            connection.close()

    threads = [threading.Thread(target=sign_up) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, outcomes)) == ["['username']", "signed up"]


def test_preferences_are_kept_beside_each_other() -> None:
    player = new_player()
    services.set_preferences(player=player, theme="dark", sound=True)
    services.set_preferences(player=Player.objects.get(pk=player.pk), theme="light")
    player.refresh_from_db()
    assert player.preferences == {"theme": "light", "sound": True}


def test_practice_deals_are_drawn_under_the_rules_asked_for() -> None:
    codes = [services.random_practice_code(rules=CLASSIC) for _ in range(20)]
    assert {(code.version, code.rules) for code in codes} == {(1, CLASSIC)}
    assert len({code.number for code in codes}) == 20


def test_a_deal_can_be_repeated_once_it_is_no_secret() -> None:
    game = new_game()
    again = services.repeat_game(game=game)
    assert (again.deal_code, again.player, again.turn) == (game.deal_code, game.player, 0)
    assert again.public_id != game.public_id
    game.is_secret = True
    with pytest.raises(ValueError, match="secret"):
        services.repeat_game(game=game)


def test_the_clock_starts_once_and_only_for_a_game() -> None:
    game = new_game(started=False)
    started_at = services.start_clock(game_id=game.pk)
    assert services.start_clock(game_id=game.pk) == started_at
    game.refresh_from_db()
    assert game.started_at == started_at
    with pytest.raises(Game.DoesNotExist):
        services.start_clock(game_id=game.pk + 1)


def limited_game(*, limit: timedelta, hours: float = 1) -> Game:
    return services.new_competition_game(
        player=new_player(),
        code=PUBLISHED,
        closes_at=timezone.now() + timedelta(hours=hours),
        undo=False,
        hints=False,
        limit=limit,
    )


def test_a_time_limit_runs_from_the_first_sending_of_the_cards() -> None:
    game = limited_game(limit=timedelta(minutes=10))
    window = game.closes_at
    started_at = services.start_clock(game_id=game.pk)
    game.refresh_from_db()
    assert game.closes_at == started_at + timedelta(minutes=10)
    services.start_clock(game_id=game.pk)
    game.refresh_from_db()
    assert game.closes_at == started_at + timedelta(minutes=10)
    assert window - game.closes_at > timedelta(minutes=49)


def test_a_time_limit_does_not_outlast_the_window() -> None:
    game = limited_game(limit=timedelta(hours=2))
    window = game.closes_at
    services.start_clock(game_id=game.pk)
    game.refresh_from_db()
    assert game.closes_at == window


def test_a_deadline_moves_within_the_time_limit() -> None:
    game = limited_game(limit=timedelta(hours=2))
    later = game.closes_at + timedelta(hours=5)
    assert services.move_deadline(game=game, closes_at=later)
    started_at = services.start_clock(game_id=game.pk)
    # What was read before the start reckons with it all the same.
    assert not services.move_deadline(game=game, closes_at=later - timedelta(minutes=1))
    game.refresh_from_db()
    assert game.closes_at == started_at + timedelta(hours=2)
    sooner = started_at + timedelta(minutes=3)
    assert services.move_deadline(game=game, closes_at=sooner)
    assert not services.move_deadline(game=Game.objects.get(), closes_at=sooner)
    assert Game.objects.get().closes_at == sooner


def test_the_deadline_of_a_game_that_is_over_stays() -> None:
    game = limited_game(limit=timedelta(hours=2))
    closes_at = game.closes_at
    services.close_game(game_id=game.pk)
    assert not services.move_deadline(game=game, closes_at=closes_at + timedelta(hours=1))
    assert Game.objects.get().closes_at <= closes_at


def test_only_a_game_that_is_due_is_closed() -> None:
    game = limited_game(limit=timedelta(hours=2))
    services.start_clock(game_id=game.pk)
    closes_at = Game.objects.get().closes_at
    early = closes_at - timedelta(microseconds=1)
    assert services.close_game(game_id=game.pk, due_by=early).finished_at is None
    assert selectors.actions_of(game_id=game.pk) == ""
    closed = services.close_game(game_id=game.pk, due_by=closes_at)
    assert (closed.state, closed.strokes) == ("closed", 35)
    assert services.close_game(game_id=game.pk, due_by=closes_at).finished_at == closed.finished_at
    assert selectors.actions_of(game_id=game.pk) == "c"


def test_more_time_that_comes_while_the_game_is_being_closed_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = limited_game(limit=timedelta(hours=9))
    services.start_clock(game_id=game.pk)
    due_by = game.closes_at
    real = selectors.journal_of

    def given_more_time(*, game: Game) -> Any:
        services.move_deadline(game=game, closes_at=due_by + timedelta(hours=1))
        return real(game=game)

    monkeypatch.setattr(selectors, "journal_of", given_more_time)
    assert services.close_game(game_id=game.pk, due_by=due_by).finished_at is None
    assert selectors.actions_of(game_id=game.pk) == ""


def test_closing_writes_the_figures_of_the_journal() -> None:
    game = new_game()
    journal.write([Row(game.pk, turn, a, 100 * turn) for turn, a in enumerate("d52")])
    kept = Game.objects.values().get(pk=services.close_game(game_id=game.pk).pk)
    services.refresh_figures(game_id=game.pk)
    assert Game.objects.values().get(pk=game.pk) == kept
    assert (kept["state"], kept["strokes"], kept["turn"]) == ("closed", 33, 4)


def test_refreshing_makes_the_figures_of_the_journal_anew() -> None:
    game = new_game()
    journal.write([Row(game.pk, turn, a, 100 * turn) for turn, a in enumerate(PUBLISHED_LINE)])
    Game.objects.filter(pk=game.pk).update(left=7, cleared=28, app_score=1, strokes=7)
    services.refresh_figures(game_id=game.pk)
    game.refresh_from_db()
    assert (game.state, game.left, game.cleared) == ("won", 0, 35)
    assert (game.app_score, game.strokes, game.strokes_below_par) == (350, 0, -3)
    assert game.time_ms == 100 * (len(PUBLISHED_LINE) - 1)
    kept = Game.objects.values().get(pk=game.pk)
    services.refresh_figures(game_id=game.pk)
    assert Game.objects.values().get(pk=game.pk) == kept


def test_only_finished_games_are_revealed() -> None:
    player = new_player()
    games = [new_game(player) for _ in range(2)]
    Game.objects.filter(player=player).update(is_secret=True)
    services.close_game(game_id=games[0].pk)
    services.reveal_games(game_ids=[game.pk for game in games])
    assert list(Game.objects.order_by("pk").values_list("is_secret", flat=True)) == [False, True]


def test_games_are_revealed_in_the_order_of_their_keys() -> None:
    keys = [new_game().pk for _ in range(3)]
    Game.objects.filter(pk__in=keys).update(is_secret=True)
    for key in keys:
        services.close_game(game_id=key)
    with games_written() as written:
        services.reveal_games(game_ids=[keys[2], keys[0], keys[1]])
    assert written == keys
    assert set(Game.objects.values_list("is_secret", flat=True)) == {False}


def test_games_are_found_by_their_player_only() -> None:
    anna, boris = new_player(), new_player()
    games = [new_game(anna), new_game(anna)]
    assert list(selectors.games_of(player=anna)) == games[::-1]
    assert selectors.game_of(player=anna, public_id=games[0].public_id) == games[0]
    with pytest.raises(Game.DoesNotExist):
        selectors.game_of(player=boris, public_id=games[0].public_id)
    assert selectors.owner_of(public_id=games[0].public_id) == (games[0].pk, anna.pk)


def test_the_rules_of_a_game_are_those_of_its_code() -> None:
    assert (new_game().rules, PUBLISHED.rules) == (EASY, EASY)


def test_only_a_game_whose_cards_were_never_sent_is_discarded() -> None:
    untouched, started = new_game(started=False), new_game()
    assert services.discard_game(game_id=started.pk) is False
    assert services.discard_game(game_id=untouched.pk) is True
    assert list(Game.objects.values_list("pk", flat=True)) == [started.pk]

from random import Random
from time import process_time

from games.engine import EASY, GameCode, Play


def test_three_thousand_whole_random_games_a_second():
    deals = [GameCode(1, EASY, number).deal() for number in range(1000)]
    random = Random(1).random
    started = process_time()
    for deal in deals:
        play = Play(deal, EASY)
        while legal := play.legal():
            play.act(legal[int(random() * len(legal))])
        assert play.state != "playing"
    assert len(deals) / (process_time() - started) >= 3000

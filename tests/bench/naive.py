"""The same game as one would write it from the tutorials: the other end of the scale.

A JSON consumer of Channels, the engine's state in memory, and for each move one transaction of the
ORM in Channels' database thread. Its answers are those of `docs/protocol.md`.
"""

import os
from typing import Any

from channels.auth import AuthMiddlewareStack
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "golfsite.settings")
pages = get_asgi_application()

from django.db import transaction  # noqa: E402 (the apps must be loaded first)
from django.urls import path  # noqa: E402
from django.utils import timezone  # noqa: E402

from games.engine import GameCode, Play, Refusal, card_text  # noqa: E402
from games.models import Game, Move  # noqa: E402


class NaiveConsumer(AsyncJsonWebsocketConsumer):
    """One player's socket of one game."""

    async def connect(self) -> None:
        """Read the game, replay it and send what the player may see."""
        self.game = await self.read_game()
        await self.accept()
        await self.send_json({"type": "opening", "position": self.position()})

    async def receive_json(self, content: dict[str, Any], **kwargs: Any) -> None:
        """Apply one action, store it and answer."""
        turn, action = content["turn"], content["action"]
        try:
            self.play.act(action)
        except Refusal as refusal:
            await self.send_json({"type": "refused", "turn": turn, "code": refusal.code})
            return
        await self.store(turn, action)
        await self.send_json(
            {"type": "done", "turn": turn, "action": action, "position": self.position()}
        )

    @database_sync_to_async
    def read_game(self) -> Game:
        """Read the player's game and replay its moves."""
        game = Game.objects.get(
            public_id=self.scope["url_route"]["kwargs"]["public_id"], player=self.scope["user"]
        )
        game.started_at = timezone.now()
        game.save()
        code = GameCode.parse(game.deal_code)
        actions = game.moves.order_by("turn").values_list("action", flat=True)
        self.play = Play.replay(code.deal(), code.rules, actions)
        return game

    @database_sync_to_async
    def store(self, turn: int, action: str) -> None:
        """Write one move."""
        with transaction.atomic():
            elapsed = timezone.now() - self.game.started_at
            Move.objects.create(
                game=self.game, turn=turn, action=action, ms=int(elapsed.total_seconds() * 1000)
            )

    def position(self) -> dict[str, Any]:
        """Return what the player may see."""
        play = self.play
        return {
            "turn": play.turn,
            "state": play.state,
            "final": play.final,
            "columns": [" ".join(map(card_text, column)) for column in play.columns],
            "waste": None if play.waste is None else card_text(play.waste),
            "stock": play.stock_left,
            "legal": play.legal(),
            **play.figures(),
        }


application = ProtocolTypeRouter(
    {
        "http": pages,
        "websocket": AuthMiddlewareStack(
            URLRouter([path("ws/games/<str:public_id>/", NaiveConsumer.as_asgi())])
        ),
    }
)

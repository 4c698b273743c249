"""Where the sockets of games are."""

from django.urls import path

from games.consumers import GameConsumer

websocket_urlpatterns = [
    path("ws/games/<slug:public_id>/", GameConsumer.as_asgi()),
]

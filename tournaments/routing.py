"""Where the sockets of tournaments are."""

from django.urls import path

from tournaments.consumers import LeaderboardConsumer

websocket_urlpatterns = [
    path("ws/tournaments/<slug:slug>/", LeaderboardConsumer.as_asgi()),
]

"""Where the sockets of tournaments and rooms are."""

from django.urls import path

from tournaments.consumers import LeaderboardConsumer, RoomConsumer, WatchConsumer

websocket_urlpatterns = [
    path("ws/tournaments/<slug:slug>/", LeaderboardConsumer.as_asgi()),
    path("ws/rooms/<slug:code>/", RoomConsumer.as_asgi()),
    path("ws/watch/<slug:public_id>/", WatchConsumer.as_asgi()),
]

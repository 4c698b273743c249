"""Addresses of tournaments."""

from django.urls import path

from tournaments import sharing
from tournaments.views import boards, playing, tournaments

urlpatterns = [
    path("tournaments/", tournaments.tournaments, name="tournaments"),
    path("tournaments/<slug:slug>/", tournaments.tournament, name="tournament"),
    path("tournaments/<slug:slug>/enter/", tournaments.enter, name="tournament_enter"),
    path("tournaments/<slug:slug>/holes/<int:number>/", playing.hole, name="hole"),
    path("tournaments/<slug:slug>/leaderboard/", boards.leaderboard, name="leaderboard"),
    path(
        "tournaments/<slug:slug>/leaderboard/table/",
        boards.leaderboard_table,
        name="leaderboard_table",
    ),
    path("tournaments/<slug:slug>/scorecards/<int:entry_id>/", boards.scorecard, name="scorecard"),
    path(
        "tournaments/<slug:slug>/scorecards/<int:entry_id>.png",
        sharing.scorecard_picture,
        name="scorecard_picture",
    ),
    path(
        "tournaments/<slug:slug>/scorecards/<int:entry_id>/holes/<int:number>/",
        boards.hole_replay,
        name="hole_replay",
    ),
]

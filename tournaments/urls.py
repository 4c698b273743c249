"""Addresses of tournaments."""

from django.urls import path

from tournaments import sharing, views

urlpatterns = [
    path("tournaments/", views.tournaments, name="tournaments"),
    path("tournaments/<slug:slug>/", views.tournament, name="tournament"),
    path("tournaments/<slug:slug>/enter/", views.enter, name="tournament_enter"),
    path("tournaments/<slug:slug>/holes/<int:number>/", views.hole, name="hole"),
    path("tournaments/<slug:slug>/leaderboard/", views.leaderboard, name="leaderboard"),
    path(
        "tournaments/<slug:slug>/leaderboard/table/",
        views.leaderboard_table,
        name="leaderboard_table",
    ),
    path("tournaments/<slug:slug>/scorecards/<int:entry_id>/", views.scorecard, name="scorecard"),
    path(
        "tournaments/<slug:slug>/scorecards/<int:entry_id>.png",
        sharing.scorecard_picture,
        name="scorecard_picture",
    ),
    path(
        "tournaments/<slug:slug>/scorecards/<int:entry_id>/holes/<int:number>/",
        views.hole_replay,
        name="hole_replay",
    ),
]

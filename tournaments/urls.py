"""Addresses of tournaments."""

from django.urls import include, path

from tournaments import sharing
from tournaments.selectors.exports import EXPORTS
from tournaments.views import (
    boards,
    clubs,
    comparing,
    directing,
    exports,
    fairness,
    figures,
    members,
    players,
    playing,
    rooms,
    seasons,
    setup,
    tournaments,
)

_club_patterns = [
    path("", clubs.club, name="club"),
    path("join/", clubs.club_join, name="club_join"),
    path("leave/", clubs.club_leave, name="club_leave"),
    path("me/", members.my_membership, name="my_membership"),
    path("calendar.ics", clubs.club_calendar, name="club_calendar"),
    path("members/", members.club_members, name="club_members"),
    path("members/<int:membership_id>/", members.club_member, name="club_member"),
    path(
        "members/<int:membership_id>/rename/",
        members.club_member_rename,
        name="club_member_rename",
    ),
    path("members/<int:membership_id>/role/", members.club_member_role, name="club_member_role"),
    path(
        "members/<int:membership_id>/remove/",
        members.club_member_remove,
        name="club_member_remove",
    ),
    path("members/<int:membership_id>/ban/", members.club_member_ban, name="club_member_ban"),
    path(
        "members/<int:membership_id>/restore/",
        members.club_member_restore,
        name="club_member_restore",
    ),
    path(
        "members/<int:membership_id>/password/",
        members.club_member_password,
        name="club_member_password",
    ),
    path("list/", members.club_list, name="club_list"),
    path("list/<int:allowed_id>/remove/", members.club_list_remove, name="club_list_remove"),
    path("list/import/", members.club_import, name="club_import"),
    path("settings/", clubs.club_settings, name="club_settings"),
    path("invitation/", clubs.club_invitation, name="club_invitation"),
    path("invitation.svg", clubs.club_invitation_code, name="club_invitation_code"),
    path("invitation/renew/", clubs.club_invitation_renew, name="club_invitation_renew"),
    path("log/", members.club_events, name="club_events"),
    path("tablets/", members.club_tablets, name="club_tablets"),
    path("tablets/<int:device_id>/unmark/", members.club_tablet_unmark, name="club_tablet_unmark"),
]

#: `tournament_results_csv`, `tournament_results_json` and so on.
_export_patterns = [
    path(
        f"tournaments/<slug:slug>/exports/{name}.{kind}",
        exports.export,
        {"name": name, "kind": kind},
        name=f"tournament_{name}_{kind}",
    )
    for name in EXPORTS
    for kind in ("csv", "json")
]

_fair_patterns = [
    path("proof/", fairness.proof, name="tournament_proof"),
    path("bundle.json", fairness.bundle, name="tournament_bundle"),
    path("deals/", fairness.deals, name="tournament_deals"),
    path("flags/", fairness.flags, name="tournament_flags"),
    path("flags/<int:flag_id>/", fairness.flag_seen, name="tournament_flag_seen"),
]

_room_patterns = [
    path("", rooms.room, name="room"),
    path("code.svg", rooms.room_code, name="room_code"),
    path("join/", rooms.room_join, name="room_join"),
    path("leave/", rooms.room_leave, name="room_leave"),
    path("settings/", rooms.room_settings, name="room_settings"),
    path("seats/<int:seat_id>/remove/", rooms.room_remove, name="room_remove"),
    path("results/<slug:slug>/", rooms.race, name="race"),
]

urlpatterns = [
    path("races/", rooms.lobby, name="races"),
    path("races/list/", rooms.lobby_list, name="races_list"),
    path("races/new/", rooms.room_new, name="room_new"),
    path("races/<slug:code>/", include(_room_patterns)),
    path("clubs/", clubs.clubs, name="clubs"),
    path("clubs/new/", clubs.club_new, name="club_new"),
    path("clubs/<slug:slug>/", include(_club_patterns)),
    path("invitations/<slug:invitation>/", clubs.invitation, name="invitation"),
    path("tournaments/", tournaments.tournaments, name="tournaments"),
    path("tournaments/<slug:slug>/", include(_fair_patterns)),
    path("tournaments/<slug:slug>/", tournaments.tournament, name="tournament"),
    path("tournaments/<slug:slug>/enter/", playing.enter, name="tournament_enter"),
    path("tournaments/<slug:slug>/withdraw/", playing.withdraw, name="tournament_withdraw"),
    path("tournaments/<slug:slug>/holes/<int:number>/", playing.hole, name="hole"),
    path("tournaments/<slug:slug>/leaderboard/", boards.leaderboard, name="leaderboard"),
    path(
        "tournaments/<slug:slug>/leaderboard/table/",
        boards.leaderboard_table,
        name="leaderboard_table",
    ),
    path(
        "tournaments/<slug:slug>/leaderboard/mine/",
        boards.leaderboard_mine,
        name="leaderboard_mine",
    ),
    path("tournaments/<slug:slug>/leaderboard/reveal/", boards.reveal, name="reveal_standings"),
    path("tournaments/<slug:slug>/screen/", boards.screen, name="screen"),
    path("tournaments/<slug:slug>/screen/rows/", boards.screen_rows, name="screen_rows"),
    path("tournaments/<slug:slug>/match/", boards.match, name="match"),
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
    path(
        "tournaments/<slug:slug>/scorecards/<int:entry_id>/holes/<int:number>/what-if/",
        boards.hole_what_if,
        name="hole_what_if",
    ),
    path(
        "tournaments/<slug:slug>/scorecards/<int:entry_id>/holes/<int:number>/ghost/",
        comparing.hole_ghost,
        name="hole_ghost",
    ),
    path(
        "tournaments/<slug:slug>/scorecards/<int:entry_id>/holes/<int:number>/ghost/"
        "<slug:public_id>/",
        comparing.ghost_race,
        name="ghost_race",
    ),
    path(
        "tournaments/<slug:slug>/holes/<int:number>/compare/",
        comparing.hole_compare,
        name="hole_compare",
    ),
    path("tournaments/<slug:slug>/figures/", figures.figures, name="tournament_figures"),
    path(
        "tournaments/<slug:slug>/figures/<int:number>/", figures.hole_figures, name="hole_figures"
    ),
    path("tournaments/<slug:slug>/exports/", exports.exports, name="tournament_exports"),
    *_export_patterns,
    path(
        "tournaments/<slug:slug>/corrections/", directing.corrections, name="tournament_corrections"
    ),
    path("tournaments/<slug:slug>/direct/", directing.direct, name="tournament_direct"),
    path(
        "tournaments/<slug:slug>/direct/step/<slug:step>/",
        directing.take_step,
        name="tournament_step",
    ),
    path("tournaments/<slug:slug>/direct/add/", directing.add_player, name="tournament_add_player"),
    path(
        "tournaments/<slug:slug>/direct/holes/<int:number>/<slug:rule>/",
        directing.decide_hole,
        name="tournament_decide_hole",
    ),
    path(
        "tournaments/<slug:slug>/direct/entries/<int:entry_id>/",
        directing.direct_entry,
        name="tournament_direct_entry",
    ),
    path(
        "tournaments/<slug:slug>/direct/entries/<int:entry_id>/<slug:rule>/",
        directing.decide_entry,
        name="tournament_decide_entry",
    ),
    path(
        "tournaments/<slug:slug>/direct/entries/<int:entry_id>/holes/<int:number>/<slug:rule>/",
        directing.decide_result,
        name="tournament_decide_result",
    ),
    path("clubs/<slug:slug>/tournaments/new/", setup.tournament_new, name="tournament_new"),
    path("tournaments/<slug:slug>/edit/", setup.tournament_edit, name="tournament_edit"),
    path("tournaments/<slug:slug>/copy/", setup.tournament_copy, name="tournament_copy"),
    path("tournaments/<slug:slug>/repeat/", setup.tournament_repeat, name="tournament_repeat"),
    path("tournaments/<slug:slug>/delete/", setup.tournament_delete, name="tournament_delete"),
    path("clubs/<slug:slug>/seasons/", seasons.seasons, name="seasons"),
    path("clubs/<slug:slug>/seasons/new/", seasons.season_new, name="season_new"),
    path("clubs/<slug:slug>/recurring/", seasons.recurrences, name="recurrences"),
    path(
        "clubs/<slug:slug>/recurring/<int:recurrence_id>/",
        seasons.recurrence,
        name="recurrence",
    ),
    path("players/me/", players.my_figures, name="my_figures"),
    path("players/me/show/", players.show_figures, name="show_figures"),
    path("players/<slug:page_id>/", players.player, name="player"),
    path("seasons/<slug:slug>/", seasons.season, name="season"),
    path("seasons/<slug:slug>/edit/", seasons.season_edit, name="season_edit"),
    path("seasons/<slug:slug>/delete/", seasons.season_delete, name="season_delete"),
]

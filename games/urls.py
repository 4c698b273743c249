"""Addresses of players and their games."""

from django.urls import path

from games import account_pages, sharing, views

urlpatterns = [
    path("guest/", views.guest, name="guest"),
    path("sign-up/", views.signup, name="signup"),
    path("log-in/", views.LoginView.as_view(), name="login"),
    path("log-out/", views.LogoutView.as_view(), name="logout"),
    path("password/", views.PasswordChangeView.as_view(), name="password_change"),
    path(
        "password/link/<uidb64>/<token>/",
        account_pages.PasswordLinkView.as_view(),
        name="password_link",
    ),
    path("account/", account_pages.account, name="account"),
    path("account/keep/", account_pages.keep_games, name="keep_games"),
    path("account/data.json", account_pages.own_data, name="own_data"),
    path("account/delete/", account_pages.delete_account, name="delete_account"),
    path("account/guest/", account_pages.take_over, name="take_over"),
    path("settings/", views.board_settings, name="board_settings"),
    path("practice/", views.practice, name="practice"),
    path("games/", views.my_games, name="my_games"),
    path("games/<slug:public_id>/", views.game, name="game"),
    path("games/<slug:public_id>/repeat/", views.game_repeat, name="game_repeat"),
    path("games/<slug:public_id>/ghost/", views.game_ghost, name="game_ghost"),
    path("games/<slug:public_id>/moves/", views.game_moves, name="game_moves"),
    path("games/<slug:public_id>/what-if/", views.game_what_if, name="game_what_if"),
    path("games/<slug:public_id>/share/", sharing.share, name="game_share"),
    path("games/<slug:public_id>/stop-sharing/", sharing.stop, name="game_stop_sharing"),
    path("share/<slug:token>/", sharing.shared, name="share"),
    path("share/<slug:token>/play/", sharing.play, name="share_play"),
    path("share/<slug:token>/ghost/", sharing.ghost, name="share_ghost"),
    path("share/<slug:token>.png", sharing.picture, name="share_picture"),
]

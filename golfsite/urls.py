"""Addresses of the whole site."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from golfsite import languages, styleguide, views

urlpatterns = [
    path("", views.home, name="home"),
    path("rules/", views.rules, name="rules"),
    path("language/", languages.choose, name="language"),
    path("", include("games.urls")),
    path("", include("tournaments.urls")),
    path("admin/", admin.site.urls),
]

if settings.DEBUG:
    urlpatterns.append(path("styleguide/", styleguide.styleguide, name="styleguide"))

handler500 = "golfsite.views.failed"

"""A browser is known again, whoever is logged in, and cannot claim to be another."""

from http.cookies import Morsel

import pytest
from django.conf import LazySettings
from django.http import HttpResponse
from django.test import RequestFactory

from tournaments import devices
from tournaments.models import Device

pytestmark = pytest.mark.django_db


def cookie_of(device: Device) -> Morsel[str]:
    response = HttpResponse()
    devices.remember(response, device)
    return response.cookies[devices.COOKIE]


def test_a_browser_is_known_by_its_cookie(rf: RequestFactory) -> None:
    request = rf.get("/")
    assert devices.known_device(request) is None
    device = devices.device_of(request)
    rf.cookies[devices.COOKIE] = cookie_of(device).value
    again = rf.get("/")
    assert devices.known_device(again) == device
    assert devices.device_of(again) == device
    assert Device.objects.count() == 1


def test_a_cookie_that_was_not_given_by_this_site_is_none(rf: RequestFactory) -> None:
    first = devices.device_of(rf.get("/"))
    key, _, signature = cookie_of(first).value.partition(":")
    for forged in (key, f"{'x' * 32}:{signature}", "", "\xff:\xff"):
        rf.cookies[devices.COOKIE] = forged
        assert devices.known_device(rf.get("/")) is None


def test_a_browser_whose_row_is_gone_is_a_new_one(rf: RequestFactory) -> None:
    device = devices.device_of(rf.get("/"))
    rf.cookies[devices.COOKIE] = cookie_of(device).value
    Device.objects.all().delete()
    assert devices.device_of(rf.get("/")).key != device.key


@pytest.mark.parametrize("is_secure", [True, False])
def test_no_script_and_no_other_site_gets_it(settings: LazySettings, is_secure: bool) -> None:
    settings.SESSION_COOKIE_SECURE = is_secure
    cookie = cookie_of(Device.objects.create(key="k" * 32))
    assert (cookie["httponly"], cookie["samesite"], bool(cookie["secure"])) == (
        True, "Lax", is_secure,
    )  # fmt: skip
    assert cookie["max-age"] == 400 * 24 * 60 * 60

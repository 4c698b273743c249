"""The site as an ASGI application: pages over HTTP, games and rooms over websockets."""

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "golfsite.settings")
pages = get_asgi_application()

from golfsite.origins import OriginMiddleware  # noqa: E402 (the apps must be loaded first)
from golfsite.routing import websocket_urlpatterns  # noqa: E402

application = ProtocolTypeRouter(
    {
        "http": pages,
        "websocket": OriginMiddleware(AuthMiddlewareStack(URLRouter(websocket_urlpatterns))),
    }
)

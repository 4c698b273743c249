"""The site as an ASGI application: pages over HTTP, games and rooms over websockets."""

import gc
import os

import django
from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "golfsite.settings")
django.setup()

from golfsite import draining, static_files  # noqa: E402, F401 (the apps must be loaded first)
from golfsite.probes import Probes  # noqa: E402
from golfsite.routing import websocket_urlpatterns  # noqa: E402
from golfsite.sockets import PlayerMiddleware  # noqa: E402
from golfsite.tracing import Traced  # noqa: E402

static_files.collect()
pages = get_asgi_application()
site = ProtocolTypeRouter(
    {
        "http": pages,
        "websocket": PlayerMiddleware(URLRouter(websocket_urlpatterns)),
    }
)
application = Probes(Traced(site))

# What is loaded by now stays for ever. A collection that looks through all of it again stops every
# socket for some 50 ms.
gc.collect()
gc.freeze()

"""The site as an ASGI application: pages over HTTP, games and rooms over websockets."""

import gc
import os
from typing import Final

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

#: Objects, more than were freed, after which garbage is looked for.
GARBAGE: Final = 20_000

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
# socket for some 50 ms. And moves leave little to collect: with the usual 700, one came every few
# hundred moves, and again and again one that looked through all open sockets.
gc.collect()
gc.freeze()
gc.set_threshold(GARBAGE)

"""The admin of clubs and their tournaments. Each change goes through the services.

`scope` says who of the staff sees what, `decisions` how an action asks why. Directors' own pages
do the same; here everything can be searched, filtered and compared over many tournaments.
"""

from tournaments.admin import clubs, entries, games, rooms, seasons, tournaments, trace

__all__ = ["clubs", "entries", "games", "rooms", "seasons", "tournaments", "trace"]

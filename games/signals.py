"""What the games app tells others, without knowing who listens."""

from django.dispatch import Signal

#: A game of a competition (it has a deadline) has become final: ``game_id: int``. Sent after the
#: commit, in a database thread, at least once; receivers call one idempotent service.
game_finished = Signal()

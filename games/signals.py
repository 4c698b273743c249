"""What the games app tells others, without knowing who listens."""

from django.dispatch import Signal

#: A game of a competition (it has a deadline) has become final: ``game_id: int``. Sent after the
#: commit, in a database thread, at least once; receivers call one idempotent service.
game_finished = Signal()

#: The stored moves of a game cannot be replayed: ``game_id: int``. Sent at least once, in a thread
#: that may use the database; receivers call one idempotent service.
game_damaged = Signal()

#: The games of a guest go to an account: ``guest: Player``, ``into: Player``. Sent inside the
#: transaction, before the games go. Receivers give the account what they keep of the guest, and
#: return the ids of the games that must stay with the guest, because what they belong to stays.
player_merged = Signal()

#: A player goes for good: ``player: Player``, ``name: str``, the pseudonym under which results
#: stay. Sent inside the transaction. Receivers take the player out of what they keep, and return
#: the ids of the games that stay, because they are results. They raise ``games.services``'
#: `AccountError` where the player has to hand something over first.
player_deleted = Signal()

#: What is kept about a player? ``player: Player``. Receivers return an object for JSON: lists of
#: records by what they are.
data_asked = Signal()

#: Is a deal being played for something? ``code: GameCode``. Receivers return True while somebody
#: may still play it in a competition of theirs, under whichever rules.
deal_in_play_asked = Signal()

#: What does a guest have beside games? ``player: Player``. Receivers return sentences for people,
#: such as "2 tournaments entered", in the language that is active.
belongings_asked = Signal()

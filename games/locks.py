"""How rows are held until the end of a transaction."""

from typing import Any, TypeVar

from django.db.models import Manager, Model, QuerySet

M = TypeVar("M", bound=Model)


def held(rows: Manager[M] | QuerySet[M]) -> QuerySet[M]:
    """Return `rows` so that whoever reads them holds them until the end of the transaction.

    Others who hold or change one wait. Who adds a row that refers to one does not: PostgreSQL looks
    such references up at the commit, which still holds all that the transaction has changed, so
    that two could wait for each other. Hence only what is about to be deleted, or must not be
    referred to any more, is locked with its key, by `select_for_update()` itself.

    Rows that the query joins, be it for their order alone, are not held. On SQLite there is one
    writer at a time anyway.
    """
    return rows.select_for_update(no_key=True, of=("self",))


def hold_in_order(rows: QuerySet[Any]) -> list[int]:
    """Hold `rows` until the end of the transaction, in the order of their keys, and return those.

    Whoever writes to several rows of a kind holds them so before, or writes in that order: two that
    meet on two of them would otherwise wait for each other.
    """
    return list(held(rows).order_by("pk").values_list("pk", flat=True))

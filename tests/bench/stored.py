"""`python -m tests.bench.stored` prints how many moves the database of the environment holds."""

import sys

import django

if __name__ == "__main__":
    django.setup()
    from games.models import Move

    sys.stdout.write(str(Move.objects.count()))

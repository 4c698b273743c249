"""`python -m tournaments.verification FILE`: check a results bundle."""

import argparse
import sys

from tournaments import verification

parser = argparse.ArgumentParser(
    prog="python -m tournaments.verification", description="Check a results bundle."
)
verification.add_arguments(parser)
asked = parser.parse_args()
status, lines = verification.check_file(asked.file, commitment=asked.commitment)
output = sys.stdout if status == verification.RIGHT else sys.stderr
output.write("".join(f"{line}\n" for line in lines))
sys.exit(status)

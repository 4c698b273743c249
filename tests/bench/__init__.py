"""How fast it is, as a table of what must be reached; not part of the test run.

`python -m tests.bench` measures and prints; `docs/decisions/measurements.md` says what the figures
decided.
"""

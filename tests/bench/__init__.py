"""How many durable moves a second the live path carries; not part of the test run.

`python -m tests.bench` measures and prints; `docs/decisions/` says what the figures decided.
"""

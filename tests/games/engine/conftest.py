from hypothesis import settings

# The same examples on every machine, and no failure because a machine is busy.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")

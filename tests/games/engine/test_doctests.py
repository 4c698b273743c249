import doctest
import importlib
import pkgutil

import pytest

from games import engine

MODULES = [
    "games.engine",
    *(f"games.engine.{m.name}" for m in pkgutil.iter_modules(engine.__path__)),
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_the_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0

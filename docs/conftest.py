"""The pages of this folder run as a user's session would: what they define can be found in ``__main__``."""

import sys
import types

import pytest


@pytest.fixture(autouse=True)
def page_as_main(request, monkeypatch):
    page = types.ModuleType("__main__")
    page.__dict__["__getattr__"] = lambda name: _defined(request.node.dtest.globs, name)
    monkeypatch.setitem(sys.modules, "__main__", page)


def _defined(names, name):
    if name not in names:
        raise AttributeError(name)
    return names[name]

"""What tests of interrupts share."""

import signal

import pytest


@pytest.fixture
def ctrl_c():
    """Ctrl-C raises, also where the tests run in the background, for which shells switch it off."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)

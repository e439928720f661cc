"""The mixing of 64-bit numbers is a permutation that leaves zero alone and spreads every bit."""

import numpy as np

from surefit.compiled.splitmix import scrambled

STEP = np.uint64(0x9E3779B97F4A7C15)


def test_the_published_stream_of_splitmix64_comes_out():
    """The first outputs of splitmix64 for the seed 1234567 (Vigna, splitmix64.c)."""
    with np.errstate(over="ignore"):
        states = np.uint64(1234567) + np.arange(1, 6, dtype=np.uint64) * STEP
        found = scrambled(states)
    assert found.tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_zero_stays_zero_and_no_two_numbers_meet():
    with np.errstate(over="ignore"):
        mixed = scrambled(np.arange(100_000, dtype=np.uint64))
    assert mixed[0] == 0
    assert len(np.unique(mixed)) == 100_000


def test_one_bit_of_the_input_moves_half_of_the_output():
    """Over 64 x 200 flips the mean number of changed bits is 32 with a standard error of 4 / sqrt(12800) = 0.035."""
    start = np.random.default_rng(0).integers(0, 2**64, 200, dtype=np.uint64)
    flips = np.uint64(1) << np.arange(64, dtype=np.uint64)
    with np.errstate(over="ignore"):
        changed = scrambled(start)[:, None] ^ scrambled(start[:, None] ^ flips)
    assert abs(np.bitwise_count(changed).mean() - 32.0) < 0.25

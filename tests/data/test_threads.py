import threading

import numpy as np
from threadpoolctl import ThreadpoolController

from surefit.data.threads import cores, map_in_order, one_blas_thread


def test_results_come_in_the_order_of_the_items():
    assert list(map_in_order(lambda k: k * k, range(50))) == [k * k for k in range(50)]
    assert list(map_in_order(lambda k: k, [])) == []


def test_several_items_are_shared_between_threads_and_one_is_not():
    names = set(map_in_order(lambda _: threading.current_thread().name, range(200)))
    assert threading.main_thread().name not in names or cores() == 1
    assert list(map_in_order(lambda _: threading.current_thread().name, [0])) == [threading.current_thread().name]


def threads():
    return [pool["num_threads"] for pool in ThreadpoolController().info() if pool["user_api"] == "blas"]


def test_the_blas_is_limited_inside_the_block_and_free_after_it():
    np.ones((2, 2)) @ np.ones((2, 2))
    before = threads()
    with one_blas_thread():
        assert set(threads()) == {1}
    assert threads() == before
    with one_blas_thread(wanted=False):
        assert threads() == before


def test_blocks_that_overlap_free_the_blas_when_the_last_is_left():
    """As when two threads fit at once: the second begins while the BLAS is limited and ends after the first."""
    np.ones((2, 2)) @ np.ones((2, 2))
    with ThreadpoolController().limit(limits=2, user_api="blas"):
        before = threads()
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert set(threads()) == {1}
        second.__exit__(None, None, None)
        assert threads() == before

"""What is asked of a Dask client: submit, and the threads it has."""

from surefit.executors.dask import AHEAD, RETRIES, DaskClient


class Client:
    """Stands for a cluster of two workers with two threads each."""

    def __init__(self):
        self.calls = []

    def nthreads(self):
        return {"one": 2, "other": 2}

    def compute(self, delayed, **options):
        self.calls.append(("compute", options))
        return delayed

    def submit(self, function, *given, **options):
        self.calls.append(("submit", options))
        return function(*given)


class Part:
    def blocks(self):
        return iter([1, 2])


class Delayed(Part):
    delayed = (3, 4)


def test_parts_run_where_they_are_computed_and_are_tried_again():
    client = Client()
    executor = DaskClient(client)
    assert executor.width == 4 * AHEAD
    assert executor.submit(lambda part: list(part.blocks()), Part()) == [1, 2]
    assert executor.submit(lambda part: list(part.blocks()), Delayed()) == [3, 4]
    assert [name for name, _ in client.calls] == ["submit", "compute", "submit"]
    assert all(options["retries"] == RETRIES for _, options in client.calls)
    assert not any(options.get("pure", False) for _, options in client.calls)

"""Who works on the blocks: this thread, threads, processes, or a Dask cluster; the answer is the same bits.

In: a `Source`, a function of a block and one that merges two results.  Out: the merged result of all blocks.  All that
is asked of an executor is ``submit(function, part) -> future``.

Read ``reduce.py`` (the order in which results are merged), then ``local.py`` and ``dask.py`` (the executors), and
``checkpoint.py`` (what is kept after a pass).
"""

"""Plans of the lasso: one pass for all columns where rows outnumber them, and a path for each fold."""

from surefit.solvers.cost import Shape
from surefit.solvers.lasso.plan import TALL, WIDE, lasso_plan


def test_more_rows_than_columns_need_one_pass():
    assert lasso_plan(Shape(1_000, 20)).reason == TALL
    assert lasso_plan(Shape(20, 1_000)).reason == WIDE


def test_paths_and_folds_are_counted():
    for shape in (Shape(5_000, 50), Shape(200, 5_000)):
        given, path, folded = (lasso_plan(shape, *more).work for more in ((), (True, 0), (True, 10)))
        assert given.calls < path.calls < folded.calls
        assert given.operations < path.operations < folded.operations


def test_a_sparse_table_is_read_by_its_entries():
    dense, thin = lasso_plan(Shape(100, 5_000)), lasso_plan(Shape(100, 5_000, stored=5_000.0))
    assert thin.work.reads < dense.work.reads / 50

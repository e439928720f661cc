import numpy as np

from surefit.theory.inference.sandwich import scatter


def test_blocks_and_groups_give_the_sum_by_definition():
    rng = np.random.default_rng(0)
    gradients, weight, counts = rng.normal(size=(50, 3)), rng.random(50) + 0.1, rng.integers(1, 4, 50).astype(float)
    group = rng.integers(0, 3, 50)
    wanted = np.zeros((3, 3))
    for k in range(3):
        inside = group == k
        mean = np.average(gradients[inside], axis=0, weights=weight[inside])
        left = gradients[inside] - mean
        wanted += (left.T * weight[inside] ** 2 / counts[inside]) @ left
    parts = [(gradients[s], weight[s], counts[s], group[s]) for s in (slice(0, 20), slice(20, 50))]
    np.testing.assert_allclose(scatter(parts, 3, 3), wanted, rtol=1e-12)


def test_counted_rows_are_repeated_rows_and_weighted_rows_are_not():
    rng = np.random.default_rng(1)
    gradients, counts = rng.normal(size=(20, 2)), rng.integers(1, 5, 20)
    one = np.zeros(20, dtype=int)
    many = np.repeat(gradients, counts, axis=0)
    repeated = scatter([(many, np.ones(len(many)), np.ones(len(many)), np.zeros(len(many), dtype=int))], 2)
    np.testing.assert_allclose(scatter([(gradients, counts * 1.0, counts * 1.0, one)], 2), repeated, rtol=1e-12)
    assert np.all(np.diag(scatter([(gradients, counts * 1.0, np.ones(20), one)], 2)) > np.diag(repeated))

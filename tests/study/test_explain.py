"""Coefficients in the units of their columns, the criterion, the path."""

import numpy as np
import pytest

from surefit.estimators.lasso import Lasso
from surefit.study.explain import coefficients_of, curve_of, path_of
from surefit.study.inference import Errors
from tests.study.samples import prepared, winner

NONE = Errors("No standard errors.", 0)


def test_a_coefficient_is_what_one_unit_of_the_column_changes():
    data, model = prepared(), winner()
    found = {one.feature: one for one in coefficients_of(model, data, NONE).table}
    moved = data.X_holdout.copy()
    j = data.encoder.features.index("z")
    before = model.predict(moved)
    moved[:, j] += 1.0 / data.encoder.units[j]
    np.testing.assert_allclose(model.predict(moved) - before, found["z"].estimate, rtol=1e-9)
    assert found["z"].effect == pytest.approx(found["z"].estimate * data.encoder.units[j] * data.X[:, j].std())


def test_the_largest_effect_comes_first_and_errors_are_in_the_same_units():
    data, model = prepared(), winner()
    j = data.encoder.features.index("z")
    errors = Errors("Robust.", 192, {j: float(model.coef_[j])}, {j: 0.5}, {j: -1.0}, {j: 1.0}, {j: 0.04})
    found = coefficients_of(model, data, errors)
    effects = [abs(one.effect) for one in found.table]
    assert effects == sorted(effects, reverse=True)
    (one,) = [one for one in found.table if one.feature == "z"]
    assert one.standard_error == pytest.approx(0.5 / data.encoder.units[j])
    assert one.p_value == 0.04
    assert np.isnan(found.table[0].standard_error)


def test_a_kernel_model_has_no_coefficients_and_a_fixed_penalty_no_curve():
    data = prepared()
    assert coefficients_of(object(), data, NONE) is None
    fixed = Lasso(0.1).fit(data.X, data.y)
    assert curve_of(fixed) is None
    assert path_of(fixed, data) is None


def test_curve_and_path_fall_with_the_penalty_and_name_the_chosen_one():
    data = prepared()
    model = Lasso(cv=5).fit(data.X, data.y)
    curve, path = curve_of(model), path_of(model, data)
    assert list(curve.lams) == sorted(curve.lams, reverse=True)
    assert curve.chosen == path.chosen == model.lam_
    assert curve.values[curve.lams.index(model.lam_)] <= min(curve.values) + max(curve.errors)
    at, largest = path.lams.index(model.lam_), data.encoder.features.index(path.names[0])
    assert path.values[0][at] == pytest.approx(model.coef_[largest] * data.X[:, largest].std(), rel=1e-6)

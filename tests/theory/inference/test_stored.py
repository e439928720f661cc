import numpy as np
import pytest

from surefit import LeastSquares
from surefit.theory.inference import stored as inference_stored
from surefit.theory.inference.stored import StoredPages, at_level


def model():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    return LeastSquares().fit(X, X[:, 0] + rng.normal(size=30))


def test_pages_have_any_level_and_reasons_are_raised():
    fitted = model()

    def page(kind):
        if kind == "none":
            raise ValueError("there is none; ask for another")
        return fitted.summary(covariance=kind)

    stored = StoredPages.of(page, ["classical", "HC3", "none"])
    direct = fitted.inference(covariance="HC3", level=0.5)
    np.testing.assert_allclose(stored.page("HC3", 0.5).table.lower, direct.lower, rtol=1e-12)
    assert at_level(stored.page("classical", 0.5), 0.95).as_dict() == fitted.summary().as_dict()
    with pytest.raises(ValueError, match="there is none; ask for another"):
        stored.page("none", 0.9)
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        stored.page("HC3", 95)
    with pytest.raises(ValueError, match="not among what this stored model keeps"):
        stored.page("HC9", 0.9)


def test_what_would_take_long_is_not_computed_on_the_way():
    stored = StoredPages.of(lambda kind: pytest.fail("computed"), ["classical"], 2 * inference_stored.WORK)
    with pytest.raises(ValueError, match="ask for them before storing, or fit again"):
        stored.page("classical", 0.95)

"""Layer compiled: the compiled loops in plain Python, as a lecture would write them.

They are the executable specification that tests compare the compiled loops against, and what runs where no compiler
was found.  Same arguments, same in-place updates, same results up to rounding.
"""

import numpy as np

from surefit.compiled.doubled import two_product, two_sum


def sgd_squared(  # noqa: PLR0913  the signature is that of the compiled loop
    X: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    order: np.ndarray,
    coef: np.ndarray,
    mean_coef: np.ndarray,
    intercepts: tuple[float, float],
    steps: int,
    step: float,
    decay: float,
    intercept: bool,
) -> tuple[float, float]:
    """Stochastic gradient steps for the squared loss over the rows named by ``order``.  Catalogue A-08, C-05.

    ``w <- w - s_t * 2 * w_i * (w . x_i + b - y_i) * x_i`` with ``s_t = step / (1 + t)**decay``; updates ``coef`` and
    the running mean ``mean_coef`` in place, returns the intercept and its running mean.
    """
    b, mean_b = intercepts
    for i in order:
        move = 2.0 * step / (1.0 + steps) ** decay * weight[i] * (X[i] @ coef + b - y[i])
        coef -= move * X[i]
        b -= move if intercept else 0.0
        steps += 1
        mean_coef += (coef - mean_coef) / steps
        mean_b += (b - mean_b) / steps
    return float(b), float(mean_b)


def _pair_sum(high: np.ndarray, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sum over the first axis of pairs ``high + low``, as a pair, by halving."""
    while len(high) > 1:
        half = len(high) // 2
        s, e = two_sum(high[:half], high[half : 2 * half])
        e = e + low[:half] + low[half : 2 * half]
        high, low = np.concatenate([s, high[2 * half :]]), np.concatenate([e, low[2 * half :]])
    return two_sum(high[0], low[0])


def extended_gradient(  # noqa: PLR0913  the signature is that of the compiled loop
    X: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    inverse_scale: np.ndarray,
    coef_high: np.ndarray,
    coef_low: np.ndarray,
    intercept: tuple[float, float],
    residual: np.ndarray,
    gradient_high: np.ndarray,
    gradient_low: np.ndarray,
    sums: np.ndarray,
) -> None:
    """``r = y - A c - b`` and ``A' W r`` with ``A = X * inverse_scale``, as if computed with 106 bits.

    Fills ``residual`` (rounded), the gradient as a pair, and ``sums``: the pairs ``sum(w r)`` and ``sum(w r**2)``.
    """
    A = X * inverse_scale
    high, low = two_sum(y, -intercept[0])
    low = low - intercept[1]
    for j in range(A.shape[1]):
        p, e = two_product(A[:, j], coef_high[j])
        high, error = two_sum(high, -p)
        low = low + (error - (e + A[:, j] * coef_low[j]))
    high, low = two_sum(high, low)
    residual[:] = high
    p, e = two_product(weight, high)
    weighted, weighted_low = two_sum(p, e + weight * low)
    sums[0], sums[1] = _pair_sum(weighted, weighted_low)
    p, e = two_product(weighted, high)
    sums[2], sums[3] = _pair_sum(p, e + weighted * low + weighted_low * high)
    p, e = two_product(A, weighted[:, None])
    gradient_high[:], gradient_low[:] = _pair_sum(p, e + A * weighted_low[:, None])

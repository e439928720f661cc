import numpy as np

def sgd_squared(
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
) -> tuple[float, float]: ...
def extended_gradient(
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
) -> None: ...

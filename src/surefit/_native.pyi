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
def gram_descent(
    gram: np.ndarray,
    moment: np.ndarray,
    target_square: float,
    threshold: np.ndarray,
    ridge: np.ndarray,
    positive: bool,
    stop: tuple[float, int],
    coef: np.ndarray,
    corr: np.ndarray,
    factor: np.ndarray,
    order: np.ndarray,
    n_factor: int,
) -> tuple[float, int, int]: ...
def column_products(
    starts: np.ndarray,
    rows: np.ndarray,
    values: np.ndarray,
    residuals: np.ndarray,
    threads: int,
    out: np.ndarray,
) -> None: ...
def column_descent(
    starts: np.ndarray,
    rows: np.ndarray,
    values: np.ndarray,
    weighted: np.ndarray,
    shift: np.ndarray,
    square: np.ndarray,
    threshold: np.ndarray,
    ridge: np.ndarray,
    total_weight: float,
    positive: bool,
    stop: tuple[float, int],
    coef: np.ndarray,
    residual: np.ndarray,
    total: float,
) -> tuple[float, int]: ...
def perceptron_pass(
    rows: np.ndarray | tuple[np.ndarray, np.ndarray, np.ndarray],
    labels: np.ndarray,
    order: np.ndarray,
    sign_zero: int,
    intercept: bool,
    coef: np.ndarray,
    lag: np.ndarray,
    intercepts: tuple[float, float],
    steps: int,
    updated: np.ndarray,
) -> tuple[float, float, int]: ...
def adaline_pass(
    rows: np.ndarray | tuple[np.ndarray, np.ndarray, np.ndarray],
    labels: np.ndarray,
    order: np.ndarray,
    step: float,
    intercept: bool,
    coef: np.ndarray,
    lag: np.ndarray,
    intercepts: tuple[float, float],
    steps: int,
) -> tuple[float, float]: ...
def radial_block(profile: int, rate: float, X: np.ndarray, Z: np.ndarray, threads: int, out: np.ndarray) -> None: ...
def radial_gram(profile: int, rate: float, X: np.ndarray, threads: int, out: np.ndarray) -> None: ...
def radial_times(
    profile: int, rate: float, X: np.ndarray, Z: np.ndarray, V: np.ndarray, threads: int, out: np.ndarray
) -> None: ...
def radial_fold(
    profile: int,
    rate: float,
    X: np.ndarray,
    Z: np.ndarray,
    A: np.ndarray,
    Y: np.ndarray,
    weight: np.ndarray,
    threads: int,
    out: np.ndarray,
) -> None: ...
def block_fold(
    C: np.ndarray, A: np.ndarray, Y: np.ndarray, weight: np.ndarray, threads: int, out: np.ndarray
) -> None: ...
def pair_steps(
    gram: np.ndarray,
    unit: float,
    ridge: np.ndarray,
    tube: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    stop: tuple[float, int],
    beta: np.ndarray,
    gradient: np.ndarray,
) -> tuple[int, float]: ...
def triangle_store(block: np.ndarray, first_row: int, step: float, threads: int, tiles: np.ndarray) -> None: ...
def triangle_times(tiles: np.ndarray, step: float, V: np.ndarray, threads: int, out: np.ndarray) -> None: ...
def store_rounded(block: np.ndarray, first_row: int, unit: float, threads: int, gram: np.ndarray) -> None: ...
def radial_symmetric_times(
    profile: int, rate: float, X: np.ndarray, V: np.ndarray, threads: int, out: np.ndarray
) -> None: ...
def star_rejections(gains: np.ndarray, target: float, candidates: np.ndarray, rejected: np.ndarray) -> None: ...
def bet_until(
    losses: np.ndarray,
    entering: np.ndarray,
    level: float,
    stakes: np.ndarray,
    shares: np.ndarray,
    wealth: np.ndarray,
    cash_and_threshold: tuple[float, float],
) -> tuple[int, float, float]: ...

class OnlineCore:
    def __init__(
        self,
        settings: list[float],
        coef: np.ndarray,
        lag: np.ndarray,
        scale: np.ndarray,
        squares: np.ndarray,
        numbers: np.ndarray,
        names: dict[object, int],
        missing_is_zero: bool,
    ) -> None: ...
    def dense(self, X: np.ndarray, y: np.ndarray, predictions: np.ndarray, losses: np.ndarray) -> tuple[int, int]: ...
    def sparse(
        self,
        starts: np.ndarray,
        columns: np.ndarray,
        values: np.ndarray,
        y: np.ndarray,
        predictions: np.ndarray,
        losses: np.ndarray,
    ) -> tuple[int, int]: ...
    def learn(self, row: dict[object, object], target: float, said: float) -> int: ...
    def score(self, row: dict[object, object]) -> float: ...
    def learn_row(self, row: np.ndarray, target: float, said: float) -> int: ...
    def score_row(self, row: np.ndarray) -> float: ...
    @property
    def culprit(self) -> object: ...
    @property
    def reason(self) -> int: ...

def logistic_pass(
    X: np.ndarray, codes: np.ndarray, share: np.ndarray, V: np.ndarray, threads: int, slope: np.ndarray
) -> float: ...
def logistic_sweeps(
    starts: np.ndarray,
    rows: np.ndarray,
    values: np.ndarray,
    working: np.ndarray,
    codes: np.ndarray,
    share: np.ndarray,
    threshold: np.ndarray,
    ridge: np.ndarray,
    fit_intercept: bool,
    stop: tuple[float, int],
    coef: np.ndarray,
    scores: np.ndarray,
    intercept: float,
) -> tuple[float, float, float, int]: ...
def dense_prints(X: np.ndarray, odd: np.ndarray, threads: int, total: np.ndarray) -> None: ...
def sparse_prints(
    entries: np.ndarray, columns: np.ndarray, starts: np.ndarray, odd: np.ndarray, threads: int, total: np.ndarray
) -> None: ...
def fill_gram(
    X: np.ndarray,
    factor: np.ndarray,
    beside: np.ndarray,
    parts: int,
    threads: int,
    out: np.ndarray,
    cross: np.ndarray,
) -> None: ...
def table_times(
    numbers: np.ndarray, inverse: np.ndarray, shift: np.ndarray, codes: np.ndarray, V: np.ndarray, out: np.ndarray
) -> None: ...
def table_products(
    numbers: np.ndarray,
    inverse: np.ndarray,
    shift: np.ndarray,
    codes: np.ndarray,
    beside: np.ndarray,
    weight: np.ndarray,
    U: np.ndarray,
    gram: np.ndarray,
    cross: np.ndarray,
    squares: np.ndarray,
) -> None: ...
def table_left_out(
    numbers: np.ndarray,
    inverse: np.ndarray,
    shift: np.ndarray,
    codes: np.ndarray,
    turn: np.ndarray,
    coef: np.ndarray,
    share: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    own: float,
    single: bool,
    out: np.ndarray,
) -> None: ...

"""The main job on data that ships with the dependencies: fit, choose lam, say what was found and from where."""

import numpy as np
from sklearn.datasets import load_diabetes

import surefit
from surefit import LeastSquares, Ridge


def main() -> None:
    data = load_diabetes(as_frame=True, scaled=False)
    X, y = data.data, data.target.rename("progression")
    print(f"surefit {surefit.__version__}: disease progression of {len(y)} patients from {X.shape[1]} measurements\n")

    least_squares = LeastSquares().fit(X, y)
    print(least_squares.summary())

    standardised = (X - X.mean()) / X.std(ddof=0)
    ridge = Ridge().fit(standardised, y)
    curve = ridge.criterion_path_
    print("\nRidge on standardised columns, lam chosen by exact leave-one-out")
    print("=" * 80)
    print("      lam  degrees of freedom  leave-one-out error (root mean square)")
    chosen = int(np.argmin(curve))
    for k in sorted({*range(0, 100, 14), chosen}):
        mark = "  <- chosen" if k == chosen else ""
        print(f"{ridge.lam_path_[k]:9.2e}  {ridge.dof_path_[k]:18.2f}  {np.sqrt(curve[k]):19.4f}{mark}")

    facts = least_squares.solution_.facts
    print("\nWhere the numbers come from")
    print("=" * 80)
    print(f"* Least squares: {facts['method']} with {facts['refinements']} refinements in twice the working precision;")
    print(f"  condition number {facts['condition']:.1f}, objective above its minimum by at most "
          f"{least_squares.solution_.gap:.0e}.")  # fmt: skip
    print("* Leave-one-out: r_i / (1 - H_ii) for all rows and 100 lam from one")
    print(f"  factorisation ({ridge.solution_.facts['method']}); no model was refitted, nothing is approximated.")
    print("* lam multiplies ||w||^2 against the MEAN squared error; scikit-learn's")
    print(f"  alpha is n * lam, here {len(y) * ridge.lam_:.4g}.")


if __name__ == "__main__":
    main()

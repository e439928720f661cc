"""What several estimators share: rows in, attributes out.

``linear.py`` linear regressors; ``two_classes.py`` linear classifiers by a sign; ``kernel.py`` functions of a kernel;
``kernel_squares.py`` squared errors and ``kernel_risk.py`` any smooth loss over them; ``support_vectors.py`` tubes and
hinges; ``labels.py`` class labels;
``summarised.py`` and ``logistic_report.py`` the tables of `summary` and `inference`; ``dependence.py`` columns that
depend on each other; ``planned.py`` `plan` before a fit and `explain` after it.
"""

"""Settings for the whole suite: reproducible examples, no timing in tests, no skipped scikit-learn checks."""

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # scikit-learn skips one of its checks without it

from hypothesis import settings

settings.register_profile("surefit", deadline=None, derandomize=True)
settings.load_profile("surefit")

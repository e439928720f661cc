"""The settings of ``make elsewhere`` do change what NumPy and BLAS compute with, and without a word of complaint."""

import json
import os
import subprocess
import sys

import pytest
from numpy._core._multiarray_umath import __cpu_features__

from tests.elsewhere import SETTINGS, environment, main, whose_turn

ASK = """
import json
from numpy._core._multiarray_umath import __cpu_features__
from threadpoolctl import threadpool_info
blas = [(one.get("architecture"), one["num_threads"]) for one in threadpool_info() if one["internal_api"] == "openblas"]
print(json.dumps([[name for name, there in __cpu_features__.items() if there], blas]))
"""


@pytest.mark.parametrize("name", ["old-1", "avx2-2"])
def test_a_setting_plays_another_machine(name):
    played = environment(SETTINGS[name])
    asked = [sys.executable, "-W", "error", "-c", ASK]
    answer = subprocess.run(asked, env={**os.environ, **played}, capture_output=True, text=True, check=True)
    features, blas = json.loads(answer.stdout)
    disabled = played.get("NPY_DISABLE_CPU_FEATURES", "").split()
    assert not set(disabled) & set(features)
    assert ("X86_V3" in disabled) == (bool(__cpu_features__.get("X86_V3")) and name == "old-1")
    for core, threads in blas:
        assert core == played.get("OPENBLAS_CORETYPE", core)
        assert threads == min(int(played["OPENBLAS_NUM_THREADS"]), os.cpu_count() or 1)


def test_one_of_the_settings_has_its_turn_and_others_are_refused(capsys):
    assert whose_turn() in SETTINGS
    assert main(["old-3"]) == 2
    assert "settings are old-1" in capsys.readouterr().out

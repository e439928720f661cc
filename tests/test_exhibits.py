"""`surefit.exhibits` holds all exhibits and nothing else."""

from pathlib import Path

from surefit import exhibits
from surefit.estimators import exhibits as folder


def test_every_file_of_the_folder_shows_an_exhibit():
    files = {path.stem for path in Path(folder.__file__).parent.glob("*.py")} - {"__init__"}
    assert {getattr(exhibits, name).__module__.rpartition(".")[2] for name in exhibits.__all__} == files

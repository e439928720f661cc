"""Names are imported when they are asked for, and type checkers are told the same as the interpreter."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGES = ["surefit", "surefit.theory"]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_is_there_and_listed(package):
    module = importlib.import_module(package)
    for name in module.__all__:
        assert getattr(module, name).__name__ == name
    assert set(module.__all__) <= set(dir(module))
    assert not [name for name in dir(module) if name.startswith("_") and not name.startswith("__")]


@pytest.mark.parametrize("package", PACKAGES)
def test_type_checkers_are_told_the_same_names_from_the_same_modules(package):
    module = importlib.import_module(package)
    stub = ast.parse(Path(module.__file__).with_suffix(".pyi").read_text())
    told = {
        alias.asname: node.module
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }
    submodules = {name for name, home in told.items() if home == package}
    names = {name: home for name, home in told.items() if home != package}
    hidden = set(names) - set(module.__all__)
    assert set(module.__all__) <= set(names)
    assert not hidden & set(dir(module))
    assert submodules | set(module.__all__) == {name for name in dir(module) if not name.startswith("__")}
    for name, home in names.items():
        assert getattr(module, name) is getattr(importlib.import_module(home), name)


def test_the_import_of_the_package_loads_neither_numpy_nor_scikit_learn():
    code = "import sys, surefit; print([name for name in ('numpy', 'scipy', 'sklearn') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("package", PACKAGES)
def test_a_name_that_is_not_there_is_an_attribute_error_with_the_name(package):
    module = importlib.import_module(package)
    with pytest.raises(AttributeError, match="has no attribute 'Rigde'") as found:
        _ = module.Rigde
    assert found.value.name == "Rigde"
    assert found.value.obj is module
    with pytest.raises(ImportError, match="cannot import name 'Rigde'"):
        exec(f"from {package} import Rigde")

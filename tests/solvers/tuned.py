"""What the tests of tuned numbers share: every number has a sentence, and each of them halved and doubled."""

import ast
import inspect


def numbers(limits):
    """The tuned numbers of a module by name."""
    return {name: value for name, value in vars(limits).items() if name.isupper() and isinstance(value, int | float)}


def unexplained(limits):
    """The names that no sentence follows."""
    body = ast.parse(inspect.getsource(limits)).body
    told = set()
    for here, after in zip(body, [*body[1:], None], strict=True):
        sentence = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if (
            isinstance(here, ast.Assign)
            and sentence
            and len(here.targets) == 1
            and isinstance(here.targets[0], ast.Name)
        ):
            told.add(here.targets[0].id)
    return {name for name in vars(limits) if name.isupper()} - told


def changed(limits, without=()):
    """Pairs of a name and another value for it: half and twice the number."""
    pairs = []
    for name, value in numbers(limits).items():
        if name not in without:
            half = max(value // 2, 1) if isinstance(value, int) else value / 2
            pairs += [(name, half), (name, 2 * value)]
    return pairs

"""Below all layers: the compiled loops of the level that runs here, under one name; see `compiled.levels`."""

import sys

from surefit.compiled.levels import chosen, loops

sys.modules[__name__] = loops(chosen())

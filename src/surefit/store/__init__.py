"""Layer store: a fitted model as a file, and back.

In: a model.  Out: ``model.surefit``, which holds data and no code.  The door is ``file.py`` (`surefit.save` and
`surefit.load`).

In reading order: ``file.py`` (the archive), ``encode.py`` (a model as plain data and arrays), ``vocabulary.py`` (the
classes that a file may name; a new one needs a line there), ``decode.py`` (plain data become a model after every
check), ``declared.py`` (are fields what their class declares?), ``deferred.py`` (linear models answer before their
classes are imported), ``tensors.py`` (arrays as safetensors), ``refusal.py`` (the error of a file that cannot be
trusted), ``atomic.py`` (a file is written whole or not at all).
"""

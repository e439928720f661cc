"""Layer store: a fitted model as a file, and back.  In: a model.  Out: ``model.surefit``, which holds data and no code.

The door is `file` (`surefit.save`, `surefit.load`).  In reading order: `file` (what the archive holds), `encode` (a
model as plain data and arrays), `vocabulary` (the classes that a file may name), `decode` and `declared` (plain data
that are checked, and become a model), `tensors` (arrays as safetensors), `refusal` (the error of a file that cannot be
trusted), `atomic` (a file is written whole or not at all).
"""

"""Layer export: a fitted model as a graph of ONNX, in double precision, to be run without surefit and without Python.

In: a linear, logistic or kernel model, or the model of a study with its encoder.  Out: an ``.onnx`` file.  The door is
``write.to_onnx``.

In reading order: ``write.py`` (which models, what goes in, what comes out), ``models.py`` (scores, labels,
probabilities), ``kernels.py`` (formulas of kernels), ``encoder.py`` (columns of a table), ``graph.py`` (nodes and
constants).  Needs the package onnx (the extra ``onnx``), and onnxruntime or another runtime to run the file.
"""

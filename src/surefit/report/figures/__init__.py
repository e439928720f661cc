"""Figures of a report as SVG inside the page: drawn here, without a plotting library, for light, dark and print.

In reading order: `axes` (scales, ticks, a frame with labels), `marks` (points, lines, bands), then the figures:
`scatter` (predicted against observed, residuals), `curves` (criterion, path, learning curve, calibration) and `bars`
(scores with their errors, importances).  Colours are names of the page's style, so that a figure follows its theme.
"""

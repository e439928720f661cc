"""How a fit is held to its word: rows held out or handed in, certificates, calibration, intervals."""

"""How it is minimised: factorisations, least squares, gradient methods."""

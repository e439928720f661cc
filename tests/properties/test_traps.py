"""Traps that real tables set: raw units, copied rows, coin flips, class weights, missing compilers.

Each section holds what a default must do where it once went wrong without a word.  Data are small and seeded, and
resemble real tables: columns in dollars, counts and shares side by side.
"""

# ---- Choice of lam on raw columns ----


# ---- Intercepts, and choices that are worse than a constant ----


# ---- Copied rows ----


# ---- Weights in inference ----


# ---- Stored and copied models ----


# ---- Cost of defaults ----


# ---- Progress ----


# ---- Messages ----


# ---- Tables and displays ----


# ---- One lam costs no more than the path ----


# ---- Gaps at tiny lam ----


# ---- Statuses and extreme units ----


# ---- scikit-learn's own expectations ----


# ---- Forks and parallel jobs ----


# ---- Without a compiler ----


# ---- The same hold-out on every machine ----

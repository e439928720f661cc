// Two-class logistic loss with absolute values and squares, by coordinate sweeps over sparse columns.
#pragma once

#include "loops.hpp"

#include <cstddef>
#include <cstdint>

namespace surefit {

// sum_i share_i loss(class_i, score_i) + sum_j (threshold_j |w_j| + ridge_j w_j^2 / 2) over the working columns.
struct SweepProblem {
    const std::int64_t* working;  // (n_working) columns whose coefficients may move; all others are zero
    std::size_t n_working;
    const std::int64_t* codes;    // (rows) 0 or 1
    const double* share;          // (rows)
    std::size_t rows;
    const double* threshold;      // (cols)
    const double* ridge;          // (cols)
    bool intercept;
};
struct SweepState {
    double* coef;                 // (cols), updated in place
    double* scores;               // (rows) X w + b, updated in place
    double intercept;
};
struct SweepAnswer {
    double value;                 // objective at the last point
    double gap;                   // estimate of its duality gap if the design had no other columns
    std::size_t sweeps;
};

// Each model, of second order at the current scores, is swept a few times; the step to it is halved until the objective
// does not rise. Ends when a sweep over all working columns estimates the gap at no more than `tol` (Catalogue A-31).
template <typename Index>
SweepAnswer logistic_sweeps(const SparseColumns<Index>& X, const SweepProblem& problem, double tol,
                            std::size_t max_sweeps, SweepState& state);

}  // namespace surefit

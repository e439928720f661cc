// Rows are walked once, and each is added to the sums of its levels: as many additions as there are columns of words,
// where a matrix of indicators would take as many as there are levels.
#include "indicators.hpp"

namespace surefit {

void sums_by_level(const IndicatorRows& given, double* sums) {
    for (std::size_t i = 0; i < given.rows; ++i) {
        const double* row = given.values + i * given.width;
        for (std::size_t c = 0; c < given.columns; ++c) {
            const std::int32_t level = given.codes[c * given.rows + i];
            if (level < 0) continue;
            double* sum = sums + static_cast<std::size_t>(level) * given.width;
            for (std::size_t j = 0; j < given.width; ++j) sum[j] += row[j];
        }
    }
}

void pairs_of_levels(const IndicatorRows& given, const double* weight, std::size_t levels, double* pairs) {
    for (std::size_t i = 0; i < given.rows; ++i) {
        for (std::size_t c = 0; c < given.columns; ++c) {
            const std::int32_t level = given.codes[c * given.rows + i];
            if (level < 0) continue;
            double* row = pairs + static_cast<std::size_t>(level) * levels;
            for (std::size_t e = c; e < given.columns; ++e) {
                const std::int32_t other = given.codes[e * given.rows + i];
                if (other >= 0) row[other] += weight[i];
            }
        }
    }
}

}  // namespace surefit

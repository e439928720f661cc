// Work shared between threads that are started for it and do not spin.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace surefit {

// Calls work(task) once for every task below `tasks`; which thread takes it may not matter to the result.
template <class Work>
void share(std::size_t tasks, std::size_t threads, Work work) {
    std::atomic<std::size_t> next{0};
    const auto run = [&] {
        for (std::size_t task = next++; task < tasks; task = next++) work(task);
    };
    std::vector<std::thread> crew;
    for (std::size_t t = 1; t < std::min(threads, tasks); ++t) crew.emplace_back(run);
    run();
    for (std::thread& one : crew) one.join();
}

constexpr std::size_t kSums = 8;  // sums kept apart, so that an answer does not depend on the number of threads

// The sum of sixteen numbers, in pairs of pairs: short chains, and less rounding.
template <class T>
inline T pairwise_sum(T (&lanes)[16]) {
    for (std::size_t j = 0; j < 8; ++j) lanes[j] += lanes[j + 8];
    for (std::size_t j = 0; j < 4; ++j) lanes[j] += lanes[j + 4];
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

}  // namespace surefit

// Work shared between threads that are started for it and do not spin.
#pragma once

#include "interrupt.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace surefit {

// Calls work(task, room) once for every task below `tasks`; which thread takes it may not matter to the result.  Each
// thread has one room, make_room(), for all of its tasks.  Where the system gives fewer threads than asked for, or memory
// for fewer rooms, those that there are do the work.
// The rooms are made before the threads start, because work must not allocate: the first exception of a thread needs
// memory of its own, and where there is none the process ends.
// What a task throws ends the others after the task at hand and is thrown here, once no thread is left: the first of
// them, if there are several.  An interrupt is such a failure; tasks that take long should ask go_on() themselves.
template <class MakeRoom, class Work>
void share(std::size_t tasks, std::size_t threads, MakeRoom make_room, Work work) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::atomic<bool> failed{false};
    const auto run = [&](auto& room) noexcept {
        try {
            for (std::size_t task = next++; task < tasks && go_on(); task = next++) work(task, room);
        } catch (...) {
            next = tasks;
            if (!failed.exchange(true)) failure = std::current_exception();
        }
    };
    const auto help = [&](auto room) noexcept {
        const Helping helping(failed);
        run(room);
    };
    auto own = make_room();
    std::vector<std::thread> crew;
    crew.reserve(std::min(threads, tasks));
    try {
        while (crew.size() + 1 < std::min(threads, tasks)) crew.emplace_back(help, make_room());
    } catch (...) {  // neither a thread nor memory for one: those that there are go on
    }
    run(own);
    for (std::thread& one : crew) one.join();
    if (failure) std::rethrow_exception(failure);
}

// The same for work(task), which needs no room.
template <class Work>
void share(std::size_t tasks, std::size_t threads, Work work) {
    share(tasks, threads, [] { return nullptr; }, [&](std::size_t task, std::nullptr_t) { work(task); });
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

#include "interrupt.hpp"

#include <chrono>
#include <thread>

namespace surefit {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPause{200};  // between questions: each waits for the GIL, which may be in use

// Two words that a thread has from its start: looked up later, they would be allocated then, and the process would end
// if there were no memory left for them.
#if defined(__ELF__) && defined(__GNUC__)
#define SUREFIT_FROM_THE_START __attribute__((tls_model("initial-exec")))
#else
#define SUREFIT_FROM_THE_START
#endif
SUREFIT_FROM_THE_START thread_local const std::atomic<bool>* helped = nullptr;  // whether the others of a helper failed
SUREFIT_FROM_THE_START thread_local Clock::time_point asked = Clock::time_point::min();

unsigned long main_thread = 0;

// Sleeps in a thread that Python ends while it waits for the GIL: otherwise its stack would be unwound.
struct Waiting {
    bool over = false;
    ~Waiting() {
        while (!over) std::this_thread::sleep_for(std::chrono::hours(1));
    }
};

}  // namespace

Unlocked::~Unlocked() noexcept(false) {
    Waiting waiting;
    PyEval_RestoreThread(state_);
    waiting.over = true;
}

void remember_main_thread() {
    main_thread = nanobind::cast<unsigned long>(nanobind::module_::import_("threading").attr("main_thread")().attr("ident"));
}

void heed_signals() {
    if (PyThread_get_thread_ident() != main_thread) return;
    const Clock::time_point now = Clock::now();
    if (asked != Clock::time_point::min() && now - asked < kPause) return;
    asked = now;
    nanobind::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

bool go_on() {
    if (helped != nullptr) return !helped->load(std::memory_order_relaxed);
    heed_signals();
    return true;
}

Helping::Helping(const std::atomic<bool>& failed) { helped = &failed; }
Helping::~Helping() { helped = nullptr; }

}  // namespace surefit

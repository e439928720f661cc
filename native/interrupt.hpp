// Ctrl-C in loops that may run for seconds.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>

namespace surefit {

// While it lives, this thread is without the GIL.  A thread that wants it back while the interpreter ends waits for the
// process to end instead: Python before 3.14 unwinds its stack, and that ends a process with loops in C++ by an error.
class Unlocked {
  public:
    Unlocked() : state_(PyEval_SaveThread()) {}
    ~Unlocked() noexcept(false);
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

  private:
    PyThreadState* state_;
};

// The main thread is the one to which Python gives signals.
void remember_main_thread();

// Called now and then, by a loop without the GIL, in the thread that Python called: several times a second the main thread
// asks whether a signal came, and throws what its handler raised.
void heed_signals();

// For work that threads share: whether to go on.  It is false in a helper once any of the threads has failed; in the
// thread that Python called it is heed_signals().
bool go_on();

// While it lives, this thread only helps: it has nothing to ask Python, and ends when `failed` is true.
class Helping {
  public:
    explicit Helping(const std::atomic<bool>& failed);
    ~Helping();
    Helping(const Helping&) = delete;
    Helping& operator=(const Helping&) = delete;
};

}  // namespace surefit

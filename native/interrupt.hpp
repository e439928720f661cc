// Ctrl-C in loops that may run for seconds.
#pragma once

#include <atomic>

namespace surefit {

// Called now and then, by a loop without the GIL.  Several times a second the thread that Python called asks whether a
// signal came, and throws what its handler raised; the threads that help it end once it, or another of them, failed.
void heed_signals();

// While it lives, this thread only helps: it has nothing to ask Python, and ends when `failed` is true.
class Helping {
  public:
    explicit Helping(const std::atomic<bool>& failed);
    ~Helping();
    Helping(const Helping&) = delete;
    Helping& operator=(const Helping&) = delete;
};

}  // namespace surefit

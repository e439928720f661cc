// Ctrl-C in loops that may run for seconds.
#pragma once

#include <atomic>

namespace surefit {

// Called now and then, by a loop without the GIL, in the thread that Python called: several times a second it asks whether
// a signal came, and throws what its handler raised.
void heed_signals();

// The same for work that threads share: false in a thread that helps, once the one that it helps, or another, failed.
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

// Vectors of numbers as wide as the machine's registers, and storage that begins where a vector does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace surefit {

// Bytes of a register, and how many there are.
#if defined(__AVX512F__)
constexpr std::size_t kBytes = 64, kRegisters = 32;
#elif defined(__AVX__)
constexpr std::size_t kBytes = 32, kRegisters = 16;
#elif defined(__aarch64__)
constexpr std::size_t kBytes = 16, kRegisters = 32;
#else
constexpr std::size_t kBytes = 16, kRegisters = 16;
#endif

template <class T>
struct Lanes {
    typedef T Vector __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
    static constexpr std::size_t count = kBytes / sizeof(T);
};

// Zeros that begin where a vector does: a vector across two lines of the cache takes two loads.
template <class T>
class Room {
  public:
    explicit Room(std::size_t size = 0) : held_(size + Lanes<T>::count) {
        const std::size_t over = reinterpret_cast<std::uintptr_t>(held_.data()) % kBytes;
        first_ = held_.data() + (kBytes - over) % kBytes / sizeof(T);
    }
    Room(Room&&) = default;  // what is held stays where it is
    T* data() { return first_; }
    const T* data() const { return first_; }

  private:
    std::vector<T> held_;
    T* first_;
};

}  // namespace surefit

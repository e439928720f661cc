// Which levels of vector instructions the processor has, asked before any module that needs them is loaded.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

namespace {

// From the lowest to the highest. The operating system must save the registers of a level too, which is asked as well.
std::vector<std::string> levels() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    std::vector<std::string> found{"v2"};
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    if (v3) found.emplace_back("v3");
    if (v4) found.emplace_back("v4");
    return found;
#else
    return {"generic"};
#endif
}

}  // namespace

NB_MODULE(_cpu, m) {
    m.doc() = "What the processor can do.";
    m.def("levels", &levels);
}

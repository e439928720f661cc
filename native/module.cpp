// The door between Python and the compiled loops; each family binds itself in its own file.
#include "bindings.hpp"

#include <exception>

// A module for each level of processors, from the same sources.
NB_MODULE(SUREFIT_MODULE, m) {
    m.doc() = "Compiled loops of surefit; each has a plain-Python twin.";
    static_cast<void>(std::uncaught_exceptions());  // gives this thread what its first exception needs, while there is memory
    surefit::remember_main_thread();
    nanobind::set_leak_warnings(false);  // a learner that a traceback holds until the interpreter ends is no leak
    surefit::bind_betting(m);
    surefit::bind_dual(m);
    surefit::bind_kernel(m);
    surefit::bind_linear(m);
    surefit::bind_logistic(m);
    surefit::bind_online(m);
    surefit::bind_fingerprints(m);
    surefit::bind_signs(m);
    surefit::bind_table(m);
}

// bosco._core: the native core.
#include "bind.hpp"

NB_MODULE(_core, m) {
    namespace nb = nanobind;
    m.doc() = "The native core of bosco: frames, tables, trees.";
    nb::exception<bosco::Error>(m, "CoreError", PyExc_ValueError);
    bosco::bind::bind_frame(m);
    bosco::bind::bind_tree(m);
    bosco::bind::bind_verbs(m);
    bosco::bind::bind_forest(m);
    bosco::bind::bind_boost(m);
}

// bosco._core: the native core.
#include "bind.hpp"

NB_MODULE(_core, m) {
    namespace nb = nanobind;
    // A tree that a user's cache still holds when Python ends is no leak.
    nb::set_leak_warnings(false);
    m.doc() = "The native core of bosco: frames, tables, trees.";
    nb::exception<bosco::Error>(m, "CoreError", PyExc_ValueError);
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const bosco::NoRoom& error) {
            const nb::object kind = nb::module_::import_("bosco.errors").attr("DataError");
            PyErr_SetString(kind.ptr(), error.what());
        }
    });
    bosco::bind::bind_growth(m);
    bosco::bind::bind_frame(m);
    bosco::bind::bind_tree(m);
    bosco::bind::bind_packed(m);
    bosco::bind::bind_verbs(m);
    bosco::bind::bind_sketch(m);
    bosco::bind::bind_prune(m);
    bosco::bind::bind_shap(m);
    bosco::bind::bind_forest(m);
    bosco::bind::bind_boost(m);
    bosco::bind::bind_search(m);
    bosco::bind::bind_farther(m);
}

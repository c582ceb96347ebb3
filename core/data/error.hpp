// The one error type of the core. User errors throw it; broken invariants assert.
#pragma once

#include <stdexcept>
#include <string>

namespace bosco {

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The folder for scratch files cannot hold what is made of the rows.
struct NoRoom : Error {
    using Error::Error;
};

// The caller asked us to stop (Ctrl-C).
struct Interrupted : std::exception {
    const char* what() const noexcept override { return "interrupted"; }
};

}  // namespace bosco

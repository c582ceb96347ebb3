// Runs every test of the core; the exit code is 1 if any check failed.
#include <exception>
#include <iostream>

#include "check.hpp"

int main() {
    using namespace bosco::check;
    int failed = 0;
    for (const Test& test : Test::all()) {
        const int before = failures;
        try {
            test.body();
        } catch (const std::exception& error) {
            ++failures;
            std::cerr << "threw: " << error.what() << "\n";
        }
        if (failures > before) {
            ++failed;
            std::cerr << "FAILED " << test.name << "\n";
        }
    }
    std::cout << Test::all().size() << " tests, " << failed << " failed\n";
    return failed > 0;
}

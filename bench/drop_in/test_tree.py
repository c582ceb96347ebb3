"""scikit-learn's tests of that name, on our classes."""

from bench.drop_in import run_on_ours

run_on_ours("test_tree", globals())

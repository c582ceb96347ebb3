"""One file for each verb: ``run`` with its options, and an ``EXAMPLE``."""

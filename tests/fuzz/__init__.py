"""Attacks on what comes from outside: model files, tables, and models that are sound but absurd.

``make fuzz`` runs `python -m tests.fuzz` for each attack; tests/test_fuzz.py runs a slice of all.
"""

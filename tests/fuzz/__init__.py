"""Attacks on what comes from outside: model files and tables.

``make fuzz`` runs `python -m tests.fuzz` for each attack; tests/test_fuzz.py runs a slice of all.
"""

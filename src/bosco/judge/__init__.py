"""Honest figures for any estimator: scores, comparisons, choices, and trust in a tree."""

"""Derived columns: a small language of expressions over the columns of a table."""

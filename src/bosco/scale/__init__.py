"""Rows that lie in parts: in files larger than memory, or at the workers of a cluster."""

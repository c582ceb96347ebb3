"""Rows as they are given, and as the core takes them."""

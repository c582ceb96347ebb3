"""Every setting, declared once, and what it may be."""

"""Rules: what a model decides, read off, shortened, compared and applied."""

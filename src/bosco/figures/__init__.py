"""How far a model and its leaves can be trusted, in numbers."""

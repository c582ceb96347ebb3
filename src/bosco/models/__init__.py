"""The kinds of models: one tree, many, and points to add up."""

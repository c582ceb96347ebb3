"""Whether rows that come in still look like those that a model learned from."""

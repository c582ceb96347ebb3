"""What was learned, as values: a tree, its tests, its rows; what every model is."""

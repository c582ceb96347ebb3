"""Why: of a node, of a leaf, of the answer to a case."""

"""Trees that people make: verbs over the rows, always recounted, logged, replayable."""

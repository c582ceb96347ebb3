"""The trees that are as good as one that was found: how many, and what they ask first."""

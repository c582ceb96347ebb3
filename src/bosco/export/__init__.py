"""The model in other languages: one flat program, and a painter per language."""

"""How a model looks: first what a node says (`card`), then a painter for each medium (`text`)."""

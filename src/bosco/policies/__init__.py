"""What a model must never do: said in a sentence, proved over all cases or broken by one."""

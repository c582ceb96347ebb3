"""What is to be learned: a table and a learner as users say them, ready for a fit or a draft."""

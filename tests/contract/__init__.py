"""The contract of exports: the class and the shares that the model gives, on every point."""

"""Estimators with scikit-learn's names and manners."""

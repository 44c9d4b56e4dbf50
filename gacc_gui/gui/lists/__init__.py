"""Runs, goals, filter line and questions: the views in which a person chooses."""

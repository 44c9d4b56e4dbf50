"""Collecting histories: an agent that reads a question's evidence files, watched from outside."""

"""Comparing two runs, or cells of theirs: the view and its parts."""

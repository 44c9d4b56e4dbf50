"""A goal's questions over all cells of its run, in one view."""

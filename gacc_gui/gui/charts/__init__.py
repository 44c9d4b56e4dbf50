"""The charts of a run, linked to its rows. Nothing here is imported before the charts are looked at."""

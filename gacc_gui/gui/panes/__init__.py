"""Source, retained memory and truncated tail: the texts, side by side."""

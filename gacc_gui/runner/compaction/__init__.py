"""The compaction benchmark's protocol: contexts made by four methods, answers, and their official scores."""

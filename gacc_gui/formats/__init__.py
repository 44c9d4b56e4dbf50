"""Files to records and back: gacc-run, datasets, vocabularies, exports."""

"""What a run means: records, tokens, boundary, evidence, causes, metrics. No input or output."""

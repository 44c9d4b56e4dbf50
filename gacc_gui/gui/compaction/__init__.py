"""The view of compaction runs: cases, contexts as they were sent, answers, budgets, figures of methods."""

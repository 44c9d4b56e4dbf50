"""Re-asking questions from the window."""

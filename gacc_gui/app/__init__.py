"""What a person can ask for, one function each: import, export, verify, lint, metrics, demo."""

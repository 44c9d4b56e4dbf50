"""The view of reviews: a queue of rows for the keyboard, and how far judge and reviewers agree."""

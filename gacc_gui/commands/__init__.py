"""What each command prints and with which code it ends; `cli` owns their names and arguments."""

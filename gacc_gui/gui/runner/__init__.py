"""The runner's view: configure an evaluation, plan it, start it as a process of its own, watch it."""

"""Evaluations: the parts' interfaces, the fixture, the engine."""

"""gacc-gui: an inspector that shows why a context-compression run failed."""

__version__ = "0.1.0"

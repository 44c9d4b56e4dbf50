"""The window. The only package that imports PySide6."""

from gacc_gui.gui.feature_look import spare_our_modules

spare_our_modules()

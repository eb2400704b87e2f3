"""The version of the package, in one place: the build reads this file too."""

__version__ = "0.1.0"

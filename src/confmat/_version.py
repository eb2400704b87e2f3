"""The version of the package, in one place: the build reads this file too."""

__version__ = "0.2.0"

"""The display: a view says what there is to draw of a matrix; each drawing is a function of it."""

__all__: list[str] = []

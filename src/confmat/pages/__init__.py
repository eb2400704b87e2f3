"""Report pages of every result of the package: matrices, comparisons, sweeps, boxes, costs.

For who would rather look than read. The page of matrices is drawn in `display`; here the results of
other rooms become one. What holds no matrix is refused.
"""

from confmat.pages.door import html

__all__ = ["html"]

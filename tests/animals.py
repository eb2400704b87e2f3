"""Cat, Fish and Hen, the matrix of many tests."""

from confmat import ConfusionMatrix

ANIMALS = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])

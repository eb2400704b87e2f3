"""How sure a score is: the gradient of any metric, and intervals under every design."""

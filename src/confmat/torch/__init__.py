"""The face for PyTorch: metrics for torchmetrics and Lightning that count as the kernel does and check every label."""

try:
    from confmat.torch.metric import ConfusionMatrix, Score
except ModuleNotFoundError as error:
    if error.name not in {"torch", "torchmetrics"}:
        raise
    _message = (
        f"confmat.torch takes PyTorch and torchmetrics, and {error.name} is not installed; "
        "install them with: pip install 'confmat[torch]'"
    )
    raise ModuleNotFoundError(_message, name=error.name) from None

__all__ = ["ConfusionMatrix", "Score"]

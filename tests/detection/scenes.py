"""Scenes for the tests of boxes: small random ones in which overlaps and scores tie."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["coco_of"]


def coco_of(
    seed: int, *, images: int, boxes: int, classes: int, crowds: bool = False, crowded: bool = False
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Annotations and results as COCO has them; `crowded` puts more than a hundred predictions into one image."""
    rng = np.random.default_rng(seed)
    annotations: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    ids = rng.permutation(1000)[:images].tolist()
    for image in ids:
        for _ in range(int(rng.integers(0, boxes))):
            x, y = rng.integers(0, 60, 2).tolist()
            w, h = rng.integers(4, 30, 2).tolist()
            kind = int(rng.integers(classes))
            crowd = int(crowds and rng.random() < 0.2)
            size = [w * 2, h * 2] if crowd else [w, h]
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": image,
                    "category_id": 10 * kind + 1,
                    "bbox": [x, y, *size],
                    "area": size[0] * size[1],
                    "iscrowd": crowd,
                }
            )
            for _ in range(int(rng.integers(0, 3))):
                shift = rng.integers(-3, 4, 4)
                found = [
                    x + int(shift[0]),
                    y + int(shift[1]),
                    max(w + int(shift[2]), 1),
                    max(h + int(shift[3]), 1),
                ]
                other = kind if rng.random() < 0.8 else int(rng.integers(classes))
                results.append(_result(image, other, found, float(rng.integers(1, 10)) / 10))
    for number in range(130 if crowded else 5):
        box = [*rng.integers(0, 60, 2).tolist(), 12, 12]
        results.append(_result(ids[0], 0, box, 0.95 if number % 2 else 0.05))
    # One category that nothing belongs to.
    categories = [{"id": 10 * kind + 1, "name": f"kind {kind}"} for kind in range(classes + 1)]
    truth = {
        "images": [{"id": image} for image in ids],
        "categories": categories,
        "annotations": annotations,
    }
    return truth, results


def _result(image: int, kind: int, box: list[int], score: float) -> dict[str, Any]:
    return {"image_id": image, "category_id": 10 * kind + 1, "bbox": box, "score": score}

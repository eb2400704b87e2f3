from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import confmat as cm
from confmat import InputError, LabelError, count_masks, panoptic

Array = NDArray[Any]


@pytest.fixture
def maps() -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    truth, answer = rng.integers(0, 4, (2, 3, 20, 30), dtype=np.uint8)
    truth[0, 3, 4] = 255
    return truth, answer


def expected(maps: tuple[Array, Array]) -> cm.ConfusionMatrix:
    return count_masks(*maps, ignore=255)


def picture(path: Path, array: Array, mode: str | None = None) -> Path:
    image = pytest.importorskip(
        "PIL.Image", reason="pictures are read with Pillow: the extra confmat[images]"
    )
    made = image.fromarray(array)
    if mode == "P":
        made.putpalette([x for i in range(256) for x in (255 - i, i // 2, 7)])
        assert made.mode == "P"
    made.save(path)
    return path


def test_a_file_of_several_maps_is_not_read_whole(
    maps: tuple[Array, Array], tmp_path: Path
) -> None:
    np.save(tmp_path / "truth.npy", maps[0])
    np.save(tmp_path / "answer.npy", maps[1])
    assert count_masks(
        tmp_path / "truth.npy", str(tmp_path / "answer.npy"), ignore=255
    ) == expected(maps)
    assert count_masks(tmp_path / "truth.npy", maps[1], ignore=255) == expected(maps)


def test_pictures_of_one_bit_are_booleans(maps: tuple[Array, Array], tmp_path: Path) -> None:
    truth, answer = (array[0] == 1 for array in maps)
    expected = count_masks(truth, answer)
    assert expected.total == truth.size
    files = [
        picture(tmp_path / f"{name}.png", array)
        for name, array in (("truth", truth), ("answer", answer))
    ]
    assert count_masks(*files) == count_masks([files[0]], [answer]) == expected
    image = pytest.importorskip("PIL.Image")
    opened = [image.open(file) for file in files]
    assert count_masks(*opened) == count_masks(opened[:1], opened[1:]) == expected
    # Bytes of 255 may come as an array as well.
    both = np.stack([truth, answer])
    odd = (both * np.uint8(255)).view(bool)
    assert count_masks(odd, both[::-1]) == count_masks(both, both[::-1])


@pytest.mark.parametrize("mode", [None, "P"])
def test_directories_are_paired_by_name(
    maps: tuple[Array, Array], tmp_path: Path, mode: str | None
) -> None:
    """The number of a palette's entry counts, not its colour."""
    truth, answer = tmp_path / "truth", tmp_path / "answer"
    truth.mkdir()
    answer.mkdir()
    for name, one, other in zip("cab", *maps, strict=True):
        picture(truth / f"{name}.png", one, mode)
        np.save(answer / f"{name}.npy", other)
    (truth / "readme.txt").write_text("no map")
    assert count_masks(truth, answer, ignore=255) == expected(maps)
    stack = count_masks(str(truth), str(answer), ignore=255, per_image=True)
    assert list(stack) == ["a.png", "b.png", "c.png"]
    assert stack["c.png"].dropped == 1
    assert count_masks(truth, [maps[1][1], maps[1][2], maps[1][0]], ignore=255) == expected(maps)
    with pytest.raises(LabelError, match=r"is 255 in image 'c\.png' at row 3, column 4"):
        count_masks(truth, answer, labels=range(4))
    (answer / "b.npy").unlink()
    with pytest.raises(InputError, match=r"1 label maps have no partner in '.*answer': b"):
        count_masks(truth, answer)
    np.save(truth / "a.npy", maps[0][0])
    with pytest.raises(InputError, match="two files named a"):
        count_masks(truth, answer)


def test_files_of_several_folders_keep_their_names_apart(tmp_path: Path) -> None:
    files = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        files.append(tmp_path / folder / "slice.npy")
        np.save(files[-1], np.zeros((2, 2), int))
    stack = count_masks(files, files, per_image=True)
    assert list(stack) == [str(file) for file in files]
    with pytest.raises(InputError, match="two images have the name"):
        count_masks([files[0]] * 2, [files[1]] * 2, per_image=True)


class Store:
    """The interface of h5py and Zarr: a shape, a length, and one map after the other."""

    def __init__(self, maps: Array) -> None:
        self._maps, self.shape = maps, maps.shape

    def __len__(self) -> int:
        return len(self._maps)

    def __getitem__(self, place: int) -> Array:
        return self._maps[place]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        pytest.fail("the whole store was read")


def test_a_store_is_read_map_by_map(maps: tuple[Array, Array]) -> None:
    truth, answer = (Store(side) for side in maps)
    assert count_masks(truth, answer, ignore=255) == expected(maps)
    assert count_masks(truth, maps[1], ignore=255) == expected(maps)
    with pytest.raises(InputError, match="`actual` has 3 images and `predicted` 2"):
        count_masks(truth, Store(maps[1][:2]))


def test_pictures_of_more_bits(tmp_path: Path) -> None:
    wide = np.array([[0, 1000], [70, 65535]], np.uint16)
    files = [picture(tmp_path / "one.png", wide), picture(tmp_path / "one.tif", wide)]
    for file in files:
        assert count_masks(file, [wide], ignore=65535).labels.classes == (0, 70, 1000)
    bits = picture(tmp_path / "bits.png", np.array([[True, False]]))
    assert count_masks(bits, bits).labels.classes == (False, True)


def test_panoptic_maps_from_files(tmp_path: Path) -> None:
    both = np.stack([np.eye(4, dtype=int), np.arange(16).reshape(4, 4) // 4], axis=-1)
    np.save(tmp_path / "one.npy", both)
    assert panoptic(tmp_path / "one.npy", [tmp_path / "one.npy"]).mean().pq == 1


def test_what_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"nowhere\.npy: there is no such file"):
        count_masks("nowhere.npy", "nowhere.npy")
    (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\nno")
    with pytest.raises(InputError, match=r"bad\.png. as a label map"):
        count_masks(tmp_path / "bad.png", tmp_path / "bad.png")
    colors = picture(tmp_path / "colours.png", np.zeros((4, 4, 3), np.uint8))
    with pytest.raises(InputError, match="a picture of mode RGB"):
        count_masks([colors], [colors])
    scores = picture(tmp_path / "scores.tif", np.zeros((4, 4), np.float32))
    with pytest.raises(InputError, match="of mode F, with a fraction per pixel"):
        count_masks([scores], [scores])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty' holds no label maps"):
        count_masks(tmp_path / "empty", tmp_path / "empty")
    monkeypatch.setattr("PIL.Image.MAX_IMAGE_PIXELS", 1)
    with pytest.raises(InputError, match="larger than Pillow opens"):
        count_masks([colors], [colors])
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(InputError, match="Pillow, which is not installed"):
        count_masks([colors], [colors])

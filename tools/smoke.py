"""Try an installed confmat: count, score, read a file, write a page. Needs nothing beyond what a wheel brings."""

import os
import sys
import tempfile
from pathlib import Path

import confmat as cm


def main() -> None:
    """Ask one question of each room whose files have to be in a wheel; the answers are known."""
    if (wanted := os.environ.get("CONFMAT_KERNEL")) and cm.kernel_name() != wanted:
        sys.exit(f"wanted the {wanted} kernel, got {cm.kernel_name()}")
    m = cm.count(["cat", "dog", "dog", "hen"], ["cat", "dog", "cat", "hen"])
    assert cm.accuracy(m) == 3 / 4
    found = cm.interval(m, "accuracy")
    assert 0 < found.low < 3 / 4 < found.high < 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "pairs.csv")
        path.write_text("actual,predicted\ncat,cat\ndog,dog\ndog,cat\nhen,hen\n", encoding="utf-8")
        assert cm.count_files(path) == m
        cm.html(m, path.with_suffix(".html"))
        cm.save(m, path.with_suffix(".json"))
        assert cm.load(path.with_suffix(".json")) == m
    sys.stdout.write(
        f"confmat {cm.__version__}, {cm.kernel_name()} kernel, Python {sys.version.split()[0]}: it "
        "works\n"
    )


if __name__ == "__main__":
    main()

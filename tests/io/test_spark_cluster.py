"""A cluster of Spark, of which a worker is lost while it counts, gives the right counts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROWS, SIZES = 20_000_000, (7, 11)
# A master and two workers are processes of their own, and so are the workers' executors. One worker
# goes with its executor, and with all that was counted there, once some of the tasks have ended.
LOSING = """
import json, os, re, signal, subprocess, sys, threading, time
from pathlib import Path
from socket import create_server
from confmat.io import count_frame
import pyspark
from pyspark.sql import SparkSession

folder, rows = Path(sys.argv[1]), int(sys.argv[2])
with create_server(("127.0.0.1", 0)) as free:
    port = str(free.getsockname()[1])
started = []

def start(name, *words):
    spark = Path(pyspark.__file__).parent / "bin" / "spark-class"
    words = [str(spark), f"org.apache.spark.deploy.{name}", "--host", "127.0.0.1", "--webui-port", "0", *words]
    log = (folder / f"{len(started)}.log").open("wb")
    started.append(subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True))

def told(number, text):
    while text not in (folder / f"{number}.log").read_text():
        assert started[number].poll() is None
        time.sleep(.1)

def lose(tracker, lost):
    while not lost:
        time.sleep(.01)
        for stage in filter(None, map(tracker.getStageInfo, tracker.getActiveStageIds())):
            if stage.numTasks == 40 and 3 <= stage.numCompletedTasks < 30:
                # The executor is in the session of its worker.
                os.killpg(started[1].pid, signal.SIGKILL)
                lost.append(stage.numCompletedTasks)

try:
    start("master.Master", "--port", port)
    told(0, "I have been elected leader")
    for i in range(2):
        own = ["--cores", "1", "--memory", "1g", "--work-dir", str(folder / f"work{i}")]
        start("worker.Worker", *own, f"spark://127.0.0.1:{port}")
    for number in (1, 2):
        told(number, "Successfully registered")
    options = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.executor.memory": "512m",
               "spark.sql.shuffle.partitions": "8", "spark.scheduler.minRegisteredResourcesRatio": "1.0",
               "spark.cores.max": "2", "spark.executor.cores": "1"}
    builder = SparkSession.builder.master(f"spark://127.0.0.1:{port}")
    for name, value in options.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    lost = []
    thread = threading.Thread(target=lose, args=(spark.sparkContext.statusTracker(), lost), daemon=True)
    thread.start()
    frame = spark.range(0, rows, 1, 40).selectExpr("id % 7 AS y", "id % 11 AS yhat")
    found = count_frame(frame, actual="y", predicted="yhat")
    executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size()
    print(json.dumps({"counts": found.counts.tolist(), "lost": lost, "workers": executors - 1}))
    spark.stop()
finally:
    for one in started:
        try:
            os.killpg(one.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
"""


@pytest.mark.nightly
@pytest.mark.peers
def test_a_worker_that_is_lost_while_spark_counts(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is none")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LOSING, str(tmp_path), str(ROWS)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found["lost"]) == 1
    assert found["workers"] == 1
    row = np.arange(ROWS) % SIZES[0]
    col = np.arange(ROWS) % SIZES[1]
    expected = np.bincount(row * SIZES[1] + col, minlength=SIZES[0] * SIZES[1]).reshape(SIZES)
    counts = np.array(found["counts"])
    assert (counts[: SIZES[0]] == expected).all()
    assert counts.sum() == ROWS

"""Merging of per-worker histograms that live in shared memory."""

import contextlib
import logging
from multiprocessing import shared_memory

import numpy as np

log = logging.getLogger(__name__)

BINS = 1024
DTYPE = np.dtype("<u8")


def block_name(run_id, worker):
    return f"hist-{run_id}-{worker}"


@contextlib.contextmanager
def attached(name):
    """Attaches to the block `name` and yields its bins."""
    shm = shared_memory.SharedMemory(name=name)
    try:
        yield np.ndarray((BINS,), dtype=DTYPE, buffer=shm.buf)
    finally:
        shm.close()


def create_block(run_id, worker):
    """Creates a zeroed block; the caller closes and unlinks it."""
    shm = shared_memory.SharedMemory(
        name=block_name(run_id, worker), create=True, size=BINS * DTYPE.itemsize
    )
    shm.buf[:] = bytes(len(shm.buf))
    return shm


def worker_total(run_id, worker):
    """The number of samples that one worker has seen."""
    with attached(block_name(run_id, worker)) as bins:
        return int(bins.sum())


def merge_histograms(run_id, workers):
    """Adds up the histograms of all `workers` that are still there."""
    merged = np.zeros(BINS, dtype=DTYPE)
    missing = []
    for worker in workers:
        try:
            with attached(block_name(run_id, worker)) as bins:
                counts = bins.copy()
        except FileNotFoundError:
            missing.append(worker)
            continue
        merged += counts
    if missing:
        log.warning("no histogram from workers %s", missing)
    return merged


def percentile(hist, fraction):
    """The first bin at which `fraction` of the samples is reached."""
    cumulative = np.cumsum(hist)
    return int(np.searchsorted(cumulative, fraction * cumulative[-1]))

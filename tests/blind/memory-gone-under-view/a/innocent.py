"""Viewer side of the camera ring: frames are published in shared memory."""
import argparse
import json
import sys
from multiprocessing import shared_memory

import numpy as np


def read_manifest(path):
    with open(path, encoding="utf-8") as fh:
        manifest = json.load(fh)
    return manifest["segment"], tuple(manifest["shape"]), np.dtype(manifest["dtype"])


def attach_frame(path):
    segment, shape, dtype = read_manifest(path)
    shm = shared_memory.SharedMemory(name=segment)
    need = int(np.prod(shape)) * dtype.itemsize
    if shm.size < need:
        shm.close()
        raise ValueError(f"segment {segment} is too small: {shm.size} < {need}")
    frame = np.ndarray(shape, dtype=dtype, buffer=shm.buf)
    return shm, frame


def exposure(frame):
    clipped = np.count_nonzero(frame >= np.iinfo(frame.dtype).max)
    return frame.mean(), clipped / frame.size


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("manifest")
    args = parser.parse_args(argv)
    shm, frame = attach_frame(args.manifest)
    mean, clipped = exposure(frame)
    del frame
    shm.close()
    print(f"mean={mean:.2f} clipped={clipped:.4%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

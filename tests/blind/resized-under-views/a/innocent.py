"""Index of a line-oriented log: a header of one cell and the line starts."""
import io

import numpy as np

HEADER = np.dtype([("magic", "<u4"), ("count", "<u4")])
GROW = 4096


def scan(stream, chunk=1 << 16):
    """Offsets of all the lines of a binary stream."""
    offset = 0
    fresh = True
    while True:
        data = stream.read(chunk)
        if not data:
            return
        at = 0
        while at < len(data):
            if fresh:
                yield offset + at
                fresh = False
            end = data.find(b"\n", at)
            if end < 0:
                break
            at = end + 1
            fresh = True
        offset += len(data)


def read_records(stream):
    index = np.zeros(GROW, dtype="<u8")
    head = index[:1].view(HEADER)
    head["magic"] = 0x1D9A7C01

    starts = list(scan(stream))
    index.resize(1 + len(starts), refcheck=False)
    head = index[:1].view(HEADER)
    head["count"] = len(starts)
    index[1:] = starts
    return index


def save(path, stream):
    index = read_records(stream)
    with io.open(path, "wb") as out:
        out.write(index.tobytes())
    return index.size - 1

"""Python front end of the ``libragged`` gather kernels."""

import ctypes
from dataclasses import dataclass

import numpy as np

_lib = ctypes.CDLL("libragged.so.2")
_lib.rg_gather_f32.argtypes = [
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_void_p,
]
_lib.rg_gather_f32.restype = ctypes.c_int


class RaggedError(RuntimeError):
    """Raised when the native library reports a failure."""


@dataclass(frozen=True)
class RowTable:
    """Row offsets in the layout that the kernels expect."""

    offsets_addr: int
    rows: int
    total: int
    offsets: np.ndarray


def _check(code):
    if code != 0:
        raise RaggedError(f"libragged failed with status {code}")


def _pack_offsets(lengths):
    ends = np.cumsum(np.asarray(lengths, dtype=np.int64))
    total = int(ends[-1]) if len(ends) else 0
    if total > np.iinfo(np.int32).max:
        raise ValueError("row lengths overflow a 32-bit offset")
    offsets = np.zeros(len(ends) + 1, dtype=np.int32)
    offsets[1:] = ends
    return RowTable(
        offsets_addr=offsets.ctypes.data,
        rows=len(ends),
        total=total,
        offsets=offsets,
    )


def gather(values, lengths):
    """Gathers the rows of `values` into one dense float32 vector."""
    source = np.ascontiguousarray(values, dtype=np.float32)
    table = _pack_offsets(lengths)
    if table.total > source.size:
        raise ValueError(
            f"rows need {table.total} values, only {source.size} given"
        )
    dense = np.empty(table.total, dtype=np.float32)
    _check(
        _lib.rg_gather_f32(
            source.ctypes.data,
            table.offsets_addr,
            table.rows,
            dense.ctypes.data,
        )
    )
    return dense


def gather_many(batches):
    """Gathers every (values, lengths) pair of `batches`."""
    return [gather(values, lengths) for values, lengths in batches]

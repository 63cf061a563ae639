"""Thin binding of librsmp, the sample-rate converter used by the mixer."""
import ctypes

import numpy as np

_lib = ctypes.CDLL("librsmp.so.2")
_lib.rs_open.restype = ctypes.c_void_p
_lib.rs_open.argtypes = [ctypes.c_double, ctypes.c_int]
_lib.rs_close.restype = None
_lib.rs_close.argtypes = [ctypes.c_void_p]
_lib.rs_process.restype = ctypes.c_long
_lib.rs_process.argtypes = [
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_long,
    ctypes.c_void_p,
    ctypes.c_long,
]


class ResamplerError(RuntimeError):
    pass


class Resampler:
    def __init__(self, rate_in, rate_out, quality=4):
        self.ratio = float(rate_out) / float(rate_in)
        self._handle = _lib.rs_open(self.ratio, quality)
        if not self._handle:
            raise ResamplerError("unsupported ratio %r" % self.ratio)

    def close(self):
        if self._handle:
            _lib.rs_close(self._handle)
            self._handle = None

    def process(self, block):
        """Convert one mono block; returns float32 samples."""
        if block.ndim != 1:
            raise ValueError("expected a mono block")
        capacity = int(len(block) * self.ratio) + 64
        out = np.empty(capacity, dtype=np.float32)
        produced = _lib.rs_process(
            self._handle,
            block.astype(np.float32, order="C").ctypes.data,
            len(block),
            out.ctypes.data,
            capacity,
        )
        if produced < 0:
            raise ResamplerError("rs_process failed: %d" % produced)
        return out[:produced]

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

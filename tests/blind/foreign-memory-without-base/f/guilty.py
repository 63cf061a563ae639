"""Read access to tile stores (libtilestore) as numpy arrays."""
import ctypes
import os
import weakref

import numpy as np

_lib = ctypes.CDLL(os.environ.get("TILESTORE_LIB", "libtilestore.so.2"))

_lib.ts_tile_read.argtypes = [ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint32]
_lib.ts_tile_read.restype = ctypes.c_void_p
_lib.ts_tile_free.argtypes = [ctypes.c_void_p]
_lib.ts_tile_free.restype = None
_lib.ts_tile_width.argtypes = [ctypes.c_void_p]
_lib.ts_tile_width.restype = ctypes.c_uint32
_lib.ts_tile_height.argtypes = [ctypes.c_void_p]
_lib.ts_tile_height.restype = ctypes.c_uint32
_lib.ts_tile_data.argtypes = [ctypes.c_void_p]
_lib.ts_tile_data.restype = ctypes.c_void_p
_lib.ts_last_error.argtypes = []
_lib.ts_last_error.restype = ctypes.c_char_p


class TileError(OSError):
    @classmethod
    def last(cls):
        return cls((_lib.ts_last_error() or b"unknown error").decode())


class Tile:
    """One decoded tile; the native memory lives exactly as long as this object."""

    def __init__(self, store, column, row):
        handle = _lib.ts_tile_read(os.fsencode(store), column, row)
        if not handle:
            raise TileError.last()
        self._handle = handle
        self._finalizer = weakref.finalize(self, _lib.ts_tile_free, handle)

    @property
    def shape(self):
        return _lib.ts_tile_height(self._handle), _lib.ts_tile_width(self._handle)

    def pixels(self):
        """The tile as a (height, width) float32 array, without a copy."""
        height, width = self.shape
        address = _lib.ts_tile_data(self._handle)
        if not address:
            raise TileError("tile has no data")
        cells = (ctypes.c_float * (height * width)).from_address(address)
        return np.frombuffer(cells, dtype=np.float32).reshape(height, width)


def load_pixels(store, column, row):
    return Tile(store, column, row).pixels()


def mean_level(store, columns, rows):
    """Average level over a block of tiles."""
    total, count = 0.0, 0
    for row in rows:
        for column in columns:
            block = load_pixels(store, column, row)
            total += float(block.sum(dtype=np.float64))
            count += block.size
    return total / count if count else 0.0

"""Reader of chunked, zstd-compressed array files."""
import ctypes
import ctypes.util
import struct
from pathlib import Path

import numpy as np

_zstd = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")

_zstd.ZSTD_createDCtx.argtypes = []
_zstd.ZSTD_createDCtx.restype = ctypes.c_void_p
_zstd.ZSTD_freeDCtx.argtypes = [ctypes.c_void_p]
_zstd.ZSTD_freeDCtx.restype = ctypes.c_size_t
_zstd.ZSTD_decompressDCtx.argtypes = [
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t,
]
_zstd.ZSTD_decompressDCtx.restype = ctypes.c_size_t
_zstd.ZSTD_isError.argtypes = [ctypes.c_size_t]
_zstd.ZSTD_isError.restype = ctypes.c_uint
_zstd.ZSTD_getErrorName.argtypes = [ctypes.c_size_t]
_zstd.ZSTD_getErrorName.restype = ctypes.c_char_p

_HEADER = struct.Struct("<4sIQ")
_MAGIC = b"CHK1"


class ChunkError(ValueError):
    pass


class ChunkDecoder:
    """Decompresses chunks with one reused context."""

    def __init__(self, dtype):
        self.dtype = np.dtype(dtype)
        self._dctx = _zstd.ZSTD_createDCtx()
        if not self._dctx:
            raise MemoryError("ZSTD_createDCtx")

    def __del__(self):
        if getattr(self, "_dctx", None):
            _zstd.ZSTD_freeDCtx(self._dctx)
            self._dctx = None

    def decode(self, payload, count):
        out = np.empty(count, dtype=self.dtype)
        written = _zstd.ZSTD_decompressDCtx(
            self._dctx, out.ctypes.data, out.nbytes, payload, len(payload)
        )
        if _zstd.ZSTD_isError(written):
            raise ChunkError(_zstd.ZSTD_getErrorName(written).decode())
        if written != out.nbytes:
            raise ChunkError(f"short chunk: {written} of {out.nbytes} bytes")
        return out


class ChunkFile:
    def __init__(self, path, dtype="<f4"):
        self.path = Path(path)
        self._decoder = ChunkDecoder(dtype)

    def __iter__(self):
        with self.path.open("rb") as stream:
            while header := stream.read(_HEADER.size):
                if len(header) != _HEADER.size:
                    raise ChunkError(f"{self.path}: truncated header")
                magic, size, count = _HEADER.unpack(header)
                if magic != _MAGIC:
                    raise ChunkError(f"{self.path}: bad magic {magic!r}")
                payload = stream.read(size)
                if len(payload) != size:
                    raise ChunkError(f"{self.path}: truncated chunk")
                yield self._decoder.decode(payload, count)


def load(path, dtype="<f4"):
    chunks = list(ChunkFile(path, dtype))
    return np.concatenate(chunks) if chunks else np.empty(0, dtype=dtype)


def load_folder(folder, dtype="<f4"):
    return {path.stem: load(path, dtype) for path in sorted(Path(folder).glob("*.chk"))}

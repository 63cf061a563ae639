"""A reader of WAV files on top of ``libwavio``."""

import ctypes

import numpy as np

_lib = ctypes.CDLL("libwavio.so.3")
_lib.wav_open.argtypes = [ctypes.c_char_p]
_lib.wav_open.restype = ctypes.c_void_p
_lib.wav_close.argtypes = [ctypes.c_void_p]
_lib.wav_close.restype = None
for _name in ("wav_channels", "wav_rate"):
    getattr(_lib, _name).argtypes = [ctypes.c_void_p]
    getattr(_lib, _name).restype = ctypes.c_int
_lib.wav_position.argtypes = [ctypes.c_void_p]
_lib.wav_position.restype = ctypes.c_int64
_lib.wav_seek.argtypes = [ctypes.c_void_p, ctypes.c_int64]
_lib.wav_seek.restype = ctypes.c_int
_lib.wav_read.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
_lib.wav_read.restype = ctypes.c_int64


class WavReader:
    def __init__(self, path):
        self._handle = None
        self._handle = _lib.wav_open(path.encode())
        if not self._handle:
            raise OSError(f"cannot open {path}")

    def _ensure_open(self):
        if not self._handle:
            raise ValueError("I/O operation on a closed WavReader")

    def __enter__(self):
        self._ensure_open()
        return self

    def __exit__(self, *exc_info):
        self.close()

    def close(self):
        handle, self._handle = self._handle, None
        if handle:
            _lib.wav_close(handle)

    @property
    def channels(self):
        self._ensure_open()
        return _lib.wav_channels(self._handle)

    @property
    def rate(self):
        self._ensure_open()
        return _lib.wav_rate(self._handle)

    def seek(self, frame):
        self._ensure_open()
        if _lib.wav_seek(self._handle, frame) != 0:
            raise OSError(f"cannot seek to frame {frame}")

    def tell(self):
        """The frame that the next read() starts at."""
        return _lib.wav_position(self._handle)

    def read(self, frames):
        """Reads up to `frames` frames, one a row."""
        self._ensure_open()
        out = np.empty((frames, self.channels), dtype=np.float32)
        got = _lib.wav_read(self._handle, out.ctypes.data, frames)
        if got < 0:
            raise OSError("read failed")
        return out[:got]


def duration(path, block=65536):
    """The length of a file in seconds."""
    with WavReader(path) as reader:
        while len(reader.read(block)) > 0:
            pass
        return reader.tell() / reader.rate

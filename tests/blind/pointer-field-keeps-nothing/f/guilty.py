"""Thin binding of libfilt: batched IIR filtering of float channels."""
import ctypes
from dataclasses import dataclass, field

import numpy as np

FLOAT_P = ctypes.POINTER(ctypes.c_float)


class FiltChannel(ctypes.Structure):
    _fields_ = [
        ("samples", FLOAT_P),
        ("count", ctypes.c_size_t),
        ("gain", ctypes.c_float),
        ("flags", ctypes.c_uint32),
    ]


class FiltError(RuntimeError):
    """A libfilt call returned a non-zero code."""


def _bind(path):
    lib = ctypes.CDLL(path)
    lib.filt_run.argtypes = [
        ctypes.POINTER(ctypes.POINTER(FiltChannel)), ctypes.c_size_t, FLOAT_P, ctypes.c_size_t,
    ]
    lib.filt_run.restype = ctypes.c_int
    return lib


@dataclass
class Channel:
    name: str
    data: np.ndarray
    gain: float = 1.0
    muted: bool = False


FLAG_MUTED = 1 << 0


def _describe(channel):
    samples = np.ascontiguousarray(channel.data, dtype=np.float32) * np.float32(0.5)
    desc = FiltChannel()
    desc.samples = samples.ctypes.data_as(FLOAT_P)
    desc.count = samples.size
    desc.gain = channel.gain
    desc.flags = FLAG_MUTED if channel.muted else 0
    return desc


@dataclass
class Mixer:
    library: str
    channels: list = field(default_factory=list)

    def __post_init__(self):
        self._lib = _bind(self.library)

    def add(self, name, data, gain=1.0):
        self.channels.append(Channel(name, np.asarray(data), gain))
        return self

    def mix(self):
        """Mixes all channels down; the result has the length of the longest one."""
        if not self.channels:
            return np.zeros(0, dtype=np.float32)
        descs = [_describe(channel) for channel in self.channels]
        table = (ctypes.POINTER(FiltChannel) * len(descs))(
            *(ctypes.pointer(desc) for desc in descs)
        )
        out = np.zeros(max(desc.count for desc in descs), dtype=np.float32)
        code = self._lib.filt_run(table, len(descs), out.ctypes.data_as(FLOAT_P), out.size)
        if code != 0:
            raise FiltError(f"filt_run failed with {code}")
        return out

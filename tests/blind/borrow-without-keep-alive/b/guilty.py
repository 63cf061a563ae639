"""Frames of a camera, as numpy arrays."""
import ctypes

import numpy as np

_lib = ctypes.CDLL("libframegrab.so")
_lib.fg_grab.restype = ctypes.c_void_p
_lib.fg_grab.argtypes = [ctypes.c_int]
_lib.fg_release.argtypes = [ctypes.c_void_p]
_lib.fg_release.restype = None
_lib.fg_plane.restype = ctypes.POINTER(ctypes.c_uint8)
_lib.fg_plane.argtypes = [ctypes.c_void_p, ctypes.c_int]


class Frame:
    WIDTH, HEIGHT = 1280, 720

    def __init__(self, device):
        self._frame = None
        self._frame = _lib.fg_grab(device)
        if not self._frame:
            raise OSError(f"camera {device} gave no frame")

    def __del__(self):
        if self._frame:
            _lib.fg_release(self._frame)

    def plane(self, index):
        """One colour plane, HEIGHT by WIDTH."""
        data = _lib.fg_plane(self._frame, index)
        if not data:
            raise IndexError(index)
        return np.ctypeslib.as_array(data, shape=(self.HEIGHT, self.WIDTH))

    @property
    def brightness(self):
        return float(self.plane(0).mean())


def snapshot(device, planes=3):
    frame = Frame(device)
    return [frame.plane(i) for i in range(planes)]


def exposure_series(device, count):
    return [Frame(device).brightness for _ in range(count)]


if __name__ == "__main__":
    print(exposure_series(0, 5))
    red, green, blue = snapshot(0)
    print(red.mean(), green.mean(), blue.mean())

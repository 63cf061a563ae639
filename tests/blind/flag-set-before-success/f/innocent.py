"""Python side of the ``libnpu`` runtime."""

import ctypes
import threading

import numpy as np

_lib = ctypes.CDLL("libnpu.so")
_lib.npu_start.argtypes = [ctypes.c_int, ctypes.c_char_p]
_lib.npu_start.restype = ctypes.c_int
_lib.npu_stop.argtypes = [ctypes.c_int]
_lib.npu_stop.restype = None
_lib.npu_run.argtypes = [
    ctypes.c_int,
    ctypes.c_uint32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_size_t,
]
_lib.npu_run.restype = ctypes.c_int


class NpuError(RuntimeError):
    def __init__(self, what, status):
        super().__init__(f"{what} failed with status {status}")
        self.status = status


def _check(what, status):
    if status != 0:
        raise NpuError(what, status)


class Device:
    """One accelerator, which is started by the first submission."""

    def __init__(self, ordinal, firmware):
        self.ordinal = ordinal
        self.firmware = firmware
        self._lock = threading.Lock()
        self._started = False

    def _ensure_started(self):
        if self._started:
            return
        _check("npu_start", _lib.npu_start(self.ordinal, self.firmware.encode()))
        self._started = True

    def submit(self, program, values):
        """Runs `program` on `values`, and returns as many float32 results."""
        source = np.ascontiguousarray(values, dtype=np.float32)
        result = np.empty_like(source)
        with self._lock:
            self._ensure_started()
            status = _lib.npu_run(
                self.ordinal,
                program,
                source.ctypes.data,
                result.ctypes.data,
                source.size,
            )
        _check("npu_run", status)
        return result

    def stop(self):
        with self._lock:
            if self._started:
                _lib.npu_stop(self.ordinal)
                self._started = False


def submit_anywhere(devices, program, values):
    """Tries the devices in turn; the last error is raised if all fail."""
    error = None
    for device in devices:
        try:
            return device.submit(program, values)
        except NpuError as exc:
            error = exc
    raise error or ValueError("no devices")

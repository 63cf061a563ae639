"""Driver shim for the flatbed scanner SDK."""
import ctypes as ct
import threading

PROGRESS = ct.CFUNCTYPE(None, ct.c_int, ct.c_int, ct.c_void_p)


def _load(path):
    lib = ct.CDLL(path)
    lib.scan_open.argtypes = [ct.c_int]
    lib.scan_open.restype = ct.c_void_p
    lib.scan_close.argtypes = [ct.c_void_p]
    lib.scan_close.restype = None
    lib.scan_set_progress.argtypes = [ct.c_void_p, PROGRESS, ct.c_void_p]
    lib.scan_set_progress.restype = ct.c_int
    lib.scan_start.argtypes = [ct.c_void_p, ct.c_int]
    lib.scan_start.restype = ct.c_int
    lib.scan_wait.argtypes = [ct.c_void_p]
    lib.scan_wait.restype = ct.c_int
    return lib


class Scanner:
    def __init__(self, index, library="libflatscan.so"):
        self._lib = _load(library)
        self._dev = self._lib.scan_open(index)
        if not self._dev:
            raise OSError("no scanner at index %d" % index)
        self.lines_done = 0
        self.lines_total = 0
        self._lock = threading.Lock()

    def _on_progress(self, done, total, _user):
        with self._lock:
            self.lines_done = done
            self.lines_total = total

    def start(self, dpi=300):
        self._lib.scan_set_progress(self._dev, PROGRESS(self._on_progress), None)
        rc = self._lib.scan_start(self._dev, dpi)
        if rc:
            raise OSError(rc, "scan_start")

    def wait(self):
        rc = self._lib.scan_wait(self._dev)
        if rc:
            raise OSError(rc, "scan_wait")

    def close(self):
        if self._dev:
            self._lib.scan_close(self._dev)
            self._dev = None

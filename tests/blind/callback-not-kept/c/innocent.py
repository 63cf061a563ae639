"""Label printers: status, paper and head-temperature events."""
import ctypes
import logging
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_int, c_void_p

log = logging.getLogger(__name__)

lib = ctypes.CDLL("libprlabel.so.2")

EventFn = CFUNCTYPE(None, c_void_p, c_int, c_int)

lib.pr_open.argtypes = [c_char_p, POINTER(c_void_p)]
lib.pr_open.restype = c_int
lib.pr_listen.argtypes = [c_void_p, c_int, EventFn, c_void_p]
lib.pr_listen.restype = c_int
lib.pr_print.argtypes = [c_void_p, c_char_p, c_int]
lib.pr_print.restype = c_int
lib.pr_close.argtypes = [c_void_p]
lib.pr_close.restype = None

EVENT_STATUS, EVENT_PAPER, EVENT_HEAT = 1, 2, 3


def check(status):
    if status != 0:
        raise OSError(f"printer returned {status}")


class Printer:
    """A printer that stays open; events arrive from the library's thread."""

    def __init__(self, port):
        self._thunks = []
        self._dev = c_void_p()
        self.paper_left = None
        check(lib.pr_open(port.encode(), byref(self._dev)))

    def listen(self):
        for event, method in (
            (EVENT_STATUS, self._on_status),
            (EVENT_PAPER, self._on_paper),
            (EVENT_HEAT, self._on_heat),
        ):
            thunk = EventFn(method)
            check(lib.pr_listen(self._dev, event, thunk, None))
            self._thunks.append(thunk)

    def _on_status(self, _user, code, _detail):
        log.info("printer status %d", code)

    def _on_paper(self, _user, _code, millimetres):
        self.paper_left = millimetres

    def _on_heat(self, _user, _code, celsius):
        if celsius > 70:
            log.warning("print head at %d degrees", celsius)

    def print_label(self, text):
        data = text.encode("cp437", "replace")
        check(lib.pr_print(self._dev, data, len(data)))

    def close(self):
        if self._dev:
            lib.pr_close(self._dev)
            self._dev = c_void_p()

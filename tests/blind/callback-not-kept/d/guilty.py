"""Status events of the print queue daemon (libprintq)."""

import ctypes
import functools
from dataclasses import dataclass

_lib = ctypes.CDLL("libprintq.so.2")

STATUS_FN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_char_p)

_lib.pq_open.argtypes = [ctypes.c_char_p]
_lib.pq_open.restype = ctypes.c_void_p
_lib.pq_close.argtypes = [ctypes.c_void_p]
_lib.pq_close.restype = None
_lib.pq_set_listener.argtypes = [ctypes.c_void_p, ctypes.c_int, STATUS_FN, ctypes.c_void_p]
_lib.pq_set_listener.restype = ctypes.c_int
_lib.pq_poll.argtypes = [ctypes.c_void_p, ctypes.c_int]
_lib.pq_poll.restype = ctypes.c_int


class PrintQueueError(RuntimeError):
    pass


@dataclass(frozen=True)
class JobEvent:
    job: int
    text: str


class Spooler:
    EVENTS = {"queued": 1, "printing": 2, "jammed": 3, "finished": 4}

    def __init__(self, host):
        self._session = _lib.pq_open(host.encode("idna"))
        if not self._session:
            raise PrintQueueError(f"cannot reach {host}")
        self._listeners = {}

    def listen(self, event, handler):
        code = self.EVENTS[event]

        @functools.wraps(handler)
        def relay(_context, job, text):
            handler(JobEvent(job, (text or b"").decode("utf-8", "replace")))

        thunk = STATUS_FN(relay)
        if _lib.pq_set_listener(self._session, code, thunk, None) != 0:
            raise PrintQueueError(f"cannot listen for {event}")
        self._listeners[code] = relay
        return handler

    def run(self, timeout_ms=500):
        while self._session:
            if _lib.pq_poll(self._session, timeout_ms) < 0:
                raise PrintQueueError("connection lost")

    def close(self):
        if self._session:
            _lib.pq_close(self._session)
            self._session = None
        self._listeners.clear()


def watch(host):
    spooler = Spooler(host)
    spooler.listen("jammed", lambda event: print(f"job {event.job}: {event.text}"))
    spooler.listen("finished", lambda event: print(f"job {event.job} is done"))
    try:
        spooler.run()
    finally:
        spooler.close()

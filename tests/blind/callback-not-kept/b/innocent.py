import enum
import logging

from cffi import FFI

ffi = FFI()
ffi.cdef(
    """
    typedef void (*mq_handler)(int event, const char *topic, void *ctx);
    typedef struct mq_client mq_client;
    mq_client *mq_connect(const char *url);
    void mq_disconnect(mq_client *);
    int mq_set_handler(mq_client *, int event, mq_handler h, void *ctx);
    int mq_loop(mq_client *, int timeout_ms);
    """
)
lib = ffi.dlopen("libminimq.so")
log = logging.getLogger(__name__)


class Event(enum.IntEnum):
    CONNECT = 0
    MESSAGE = 1
    ACK = 2
    CLOSE = 3


def _guarded(fn):
    def call(event, topic, _ctx):
        try:
            fn(Event(event), ffi.string(topic).decode())
        except Exception:
            log.exception("handler %r failed", fn)

    return ffi.callback("mq_handler", call)


class EventBus:
    """One connection; a handler for each kind of event."""

    def __init__(self, url):
        self._client = lib.mq_connect(url.encode())
        if self._client == ffi.NULL:
            raise ConnectionError(url)
        self._thunks = {}

    def on(self, event, fn):
        thunk = _guarded(fn)
        if lib.mq_set_handler(self._client, int(event), thunk, ffi.NULL):
            raise ValueError(f"cannot subscribe to {event!r}")
        self._thunks[event] = thunk

    def spin(self, seconds):
        return lib.mq_loop(self._client, int(seconds * 1000))

    def close(self):
        if self._client != ffi.NULL:
            lib.mq_disconnect(self._client)
            self._client = ffi.NULL


def run(url, store):
    bus = EventBus(url)
    bus.on(Event.MESSAGE, lambda _ev, topic: store.append(topic))
    bus.on(Event.CLOSE, lambda _ev, topic: log.info("closed: %s", topic))
    try:
        while bus.spin(0.5) == 0:
            pass
    finally:
        bus.close()

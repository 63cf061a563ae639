"""Hot-plug watcher for the acquisition boards, on top of libusb-1.0."""
import ctypes
import ctypes.util
import logging
from collections import deque

logger = logging.getLogger(__name__)

EVENT_ARRIVED = 0x01
EVENT_LEFT = 0x02
MATCH_ANY = -1
NO_FLAGS = 0

HotplugFn = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p
)


class _Timeval(ctypes.Structure):
    _fields_ = [("tv_sec", ctypes.c_long), ("tv_usec", ctypes.c_long)]


class UsbError(RuntimeError):
    pass


def _load():
    lib = ctypes.CDLL(ctypes.util.find_library("usb-1.0") or "libusb-1.0.so.0")
    lib.libusb_init.argtypes = [ctypes.POINTER(ctypes.c_void_p)]
    lib.libusb_exit.argtypes = [ctypes.c_void_p]
    lib.libusb_exit.restype = None
    lib.libusb_hotplug_register_callback.argtypes = [
        ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int,
        ctypes.c_int, HotplugFn, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int),
    ]
    lib.libusb_hotplug_deregister_callback.argtypes = [ctypes.c_void_p, ctypes.c_int]
    lib.libusb_hotplug_deregister_callback.restype = None
    lib.libusb_handle_events_timeout_completed.argtypes = [
        ctypes.c_void_p, ctypes.POINTER(_Timeval), ctypes.POINTER(ctypes.c_int),
    ]
    return lib


class HotplugWatcher:
    """Queues arrivals and departures of boards of one vendor."""

    def __init__(self, vendor, products):
        self._lib = _load()
        self._ctx = ctypes.c_void_p()
        self._vendor = vendor
        self._products = list(products)
        self._registered = []
        self._thunks = []
        self.events = deque(maxlen=256)
        self._check(self._lib.libusb_init(ctypes.byref(self._ctx)))

    @staticmethod
    def _check(code):
        if code < 0:
            raise UsbError(f"libusb call failed with {code}")

    def _handler_for(self, product):
        def on_event(_ctx, device, event, _user_data):
            kind = "arrived" if event == EVENT_ARRIVED else "left"
            self.events.append((kind, product, device))
            return 0

        return on_event

    def start(self):
        for product in self._products:
            handle = ctypes.c_int()
            thunk = HotplugFn(self._handler_for(product))
            self._thunks.append(thunk)
            code = self._lib.libusb_hotplug_register_callback(
                self._ctx, EVENT_ARRIVED | EVENT_LEFT, NO_FLAGS,
                self._vendor, product, MATCH_ANY,
                thunk, None, ctypes.byref(handle),
            )
            self._check(code)
            self._registered.append(handle.value)
            logger.info("watching %04x:%04x", self._vendor, product)

    def poll(self, seconds=0.1):
        whole = int(seconds)
        tv = _Timeval(whole, int((seconds - whole) * 1_000_000))
        self._check(
            self._lib.libusb_handle_events_timeout_completed(
                self._ctx, ctypes.byref(tv), None
            )
        )
        while self.events:
            yield self.events.popleft()

    def close(self):
        if not self._ctx:
            return
        for handle in self._registered:
            self._lib.libusb_hotplug_deregister_callback(self._ctx, handle)
        self._registered.clear()
        self._lib.libusb_exit(self._ctx)
        self._ctx = ctypes.c_void_p()

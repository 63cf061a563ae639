"""Pool of pinned staging buffers shared by the loader threads."""
import contextlib
import threading
import time
from collections import defaultdict

import torch


class PoolExhausted(RuntimeError):
    pass


class PoolStats:
    def __init__(self):
        self._lock = threading.Lock()
        self._counts = defaultdict(int)

    def bump(self, name):
        with self._lock:
            self._counts[name] += 1

    def snapshot(self):
        with self._lock:
            return dict(self._counts)


class BufferPool:
    """At most `limit` pinned byte buffers of `size` bytes each."""

    def __init__(self, size, limit=16):
        self.size = size
        self.limit = limit
        self.stats = PoolStats()
        self._lock = threading.Lock()
        self._idle = []
        self._created = 0

    def _allocate(self):
        return torch.empty(self.size, dtype=torch.uint8, pin_memory=torch.cuda.is_available())

    def acquire(self):
        with self._lock:
            reusable = bool(self._idle)
            buffer = self._idle.pop() if reusable else None
            if not reusable:
                if self._created >= self.limit:
                    raise PoolExhausted(f"all {self.limit} buffers are in use")
                self._created += 1
        if not reusable:
            self.stats.bump("allocated")
            return self._allocate()
        self.stats.bump("reused")
        return buffer

    def release(self, buffer):
        if buffer.numel() != self.size:
            raise ValueError("buffer of another pool")
        with self._lock:
            self._idle.append(buffer)

    @contextlib.contextmanager
    def borrow(self, timeout=5.0, interval=0.01):
        deadline = time.monotonic() + timeout
        while True:
            try:
                buffer = self.acquire()
                break
            except PoolExhausted:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(interval)
        try:
            yield buffer
        finally:
            self.release(buffer)


def stage(pool, payload):
    """Copies `payload` through a pinned buffer and returns a private tensor."""
    view = memoryview(payload).cast("B")
    if len(view) > pool.size:
        raise ValueError("payload does not fit")
    with pool.borrow() as buffer:
        staged = buffer[: len(view)]
        staged.copy_(torch.tensor(list(view), dtype=torch.uint8))
        return staged.clone()

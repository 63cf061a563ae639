"""Thumbnails on disk, shared by the request threads of the gallery."""
import hashlib
import os
import subprocess
import tempfile
import threading


class ThumbnailError(Exception):
    pass


class Thumbnail:
    def __init__(self, path, width):
        self.path = path
        self.width = width

    def read(self):
        with open(self.path, "rb") as handle:
            return handle.read()

    def discard(self):
        os.unlink(self.path)


class ThumbnailCache:
    def __init__(self, directory, converter="convert"):
        self._directory = directory
        self._converter = converter
        self._lock = threading.Lock()
        self._entries = {}
        self._render_lock = threading.Lock()

    @staticmethod
    def _key(source, width):
        digest = hashlib.sha1(source.encode("utf-8")).hexdigest()
        return "%s-%d" % (digest, width)

    def _render(self, source, width):
        fd, path = tempfile.mkstemp(suffix=".jpg", dir=self._directory)
        os.close(fd)
        done = subprocess.run([self._converter, source, "-resize", str(width), path])
        if done.returncode != 0:
            os.unlink(path)
            raise ThumbnailError(source)
        return Thumbnail(path, width)

    def get(self, source, width):
        key = self._key(source, width)
        with self._lock:
            entry = self._entries.get(key)
        if entry is not None:
            return entry
        with self._render_lock:
            with self._lock:
                entry = self._entries.get(key)
            if entry is None:
                entry = self._render(source, width)
                with self._lock:
                    self._entries[key] = entry
        return entry

    def evict(self, source, width):
        with self._lock:
            entry = self._entries.pop(self._key(source, width), None)
        if entry is not None:
            entry.discard()

    def close(self):
        with self._lock:
            entries, self._entries = list(self._entries.values()), {}
        for entry in entries:
            entry.discard()

    def __len__(self):
        with self._lock:
            return len(self._entries)

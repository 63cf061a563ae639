"""Shares decoded CT series between the reader process and its viewers."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from multiprocessing import shared_memory
from typing import Callable, Dict, List, Tuple

import numpy as np

log = logging.getLogger(__name__)

Decoder = Callable[[str], np.ndarray]


class SeriesError(Exception):
    """The series could not be decoded."""


@dataclass(frozen=True)
class SharedVolume:
    """What a viewer needs in order to attach to the voxels."""

    series_uid: str
    shape: Tuple[int, ...]
    dtype: str
    segment: shared_memory.SharedMemory

    @property
    def segment_name(self) -> str:
        return self.segment.name

    def as_array(self) -> np.ndarray:
        return np.ndarray(self.shape, dtype=self.dtype, buffer=self.segment.buf)

    def destroy(self) -> None:
        self.segment.close()
        self.segment.unlink()


class VolumeStore:
    """Decoded series by UID; called from the worker threads of the RPC server."""

    def __init__(self, decode: Decoder) -> None:
        self._decode = decode
        self._lock = threading.Lock()
        self._volumes: Dict[str, SharedVolume] = {}
        self._closed = False

    def open(self, series_uid: str) -> SharedVolume:
        with self._lock:
            if self._closed:
                raise SeriesError("the store is closed")
            volume = self._volumes.get(series_uid)
        if volume is not None:
            return volume

        volume = self._share(series_uid)

        with self._lock:
            if self._closed:
                volume.destroy()
                raise SeriesError("the store is closed")
            kept = self._volumes.setdefault(series_uid, volume)
        if kept is not volume:
            volume.destroy()
        return kept

    def loaded(self) -> List[str]:
        with self._lock:
            return sorted(self._volumes)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            volumes = list(self._volumes.values())
            self._volumes.clear()
        for volume in volumes:
            volume.destroy()

    def _share(self, series_uid: str) -> SharedVolume:
        voxels = self._decode(series_uid)
        if voxels.ndim != 3 or voxels.size == 0:
            raise SeriesError(f"{series_uid}: not a volume: {voxels.shape}")
        segment = shared_memory.SharedMemory(create=True, size=voxels.nbytes)
        volume = SharedVolume(series_uid, voxels.shape, voxels.dtype.str, segment)
        volume.as_array()[...] = voxels
        log.info("shared %s as %s (%d bytes)", series_uid, segment.name, voxels.nbytes)
        return volume


def handle_open(store: VolumeStore, request: Dict[str, str]) -> Dict[str, object]:
    """RPC entry point; the server runs it on a pool of threads."""
    try:
        volume = store.open(request["series_uid"])
    except SeriesError as exc:
        return {"ok": False, "error": str(exc)}
    return {
        "ok": True,
        "segment": volume.segment_name,
        "shape": list(volume.shape),
        "dtype": volume.dtype,
    }

"""Stacks the traces of one seismic event over its stations."""
from pathlib import Path

import h5py
import numpy as np

SAMPLE_RATE = 100


def _station_traces(group, channel):
    """The datasets of a channel, by station, longest name first."""
    found = {}
    for station in sorted(group, key=len, reverse=True):
        node = group[station]
        if isinstance(node, h5py.Group) and channel in node:
            found[station] = node[channel]
    return found


def list_events(path):
    with h5py.File(path, "r") as archive:
        return {
            name: float(group.attrs["origin_time"])
            for name, group in archive["events"].items()
        }


def stack_event(path, event, channel="HHZ", start=0.0, length=30.0):
    """Mean of all stations' traces, each scaled to its own peak."""
    lo = int(start * SAMPLE_RATE)
    hi = lo + int(length * SAMPLE_RATE)
    with h5py.File(path, "r") as archive:
        traces = _station_traces(archive["events"][event], channel)
        if not traces:
            raise LookupError(f"{event}: no station recorded {channel}")
        windows = [trace[lo:hi] for trace in traces.values()]
    width = min(len(window) for window in windows)
    scaled = [
        window[:width] / max(np.abs(window).max(), 1e-12) for window in windows
    ]
    return np.mean(scaled, axis=0)


def write_stack(path, event, target):
    stack = stack_event(path, event)
    target = Path(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(target, "w") as out:
        data = out.create_dataset("stack", data=stack, compression="gzip")
        data.attrs["event"] = event
    return target

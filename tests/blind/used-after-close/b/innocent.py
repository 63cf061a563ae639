import contextlib
import logging

import netCDF4
import numpy as np

log = logging.getLogger("reanalysis")


class GridError(Exception):
    pass


@contextlib.contextmanager
def dataset(path):
    nc = netCDF4.Dataset(path, "r")
    try:
        yield nc
    finally:
        nc.close()


def month_edges(nc):
    time = nc.variables["time"]
    dates = netCDF4.num2date(time[:], time.units, getattr(time, "calendar", "standard"))
    keys = np.array([12 * d.year + d.month - 1 for d in dates])
    cuts = np.flatnonzero(np.diff(keys)) + 1
    return [0, *cuts.tolist(), len(keys)]


def open_field(path, name):
    """The variable and the edges of its months, after some checks."""
    with dataset(path) as nc:
        if name not in nc.variables:
            raise GridError(f"{path}: no variable {name}")
        field = nc.variables[name]
        if field.dimensions[0] != "time":
            raise GridError(f"{path}: {name} does not depend on time")
        return field[:], month_edges(nc)


def monthly_means(path, name):
    field, edges = open_field(path, name)
    means = []
    for start, stop in zip(edges, edges[1:]):
        block = field[start:stop]
        means.append(np.ma.mean(block, axis=0))
        log.debug("%s[%d:%d] done", name, start, stop)
    return np.ma.stack(means)


def anomaly(path, name):
    means = monthly_means(path, name)
    return means - means.mean(axis=0)

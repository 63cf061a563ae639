"""Zonal statistics of a digital elevation model."""
import argparse
import sys

import numpy as np
from osgeo import gdal

gdal.UseExceptions()


def read_window(band, x, y, size):
    width = min(size, band.XSize - x)
    height = min(size, band.YSize - y)
    return band.ReadAsArray(x, y, width, height).astype(np.float64)


def tiles(band, size):
    for y in range(0, band.YSize, size):
        for x in range(0, band.XSize, size):
            yield read_window(band, x, y, size)


def summarise(path, index, size):
    band = gdal.Open(path, gdal.GA_ReadOnly).GetRasterBand(index)
    nodata = band.GetNoDataValue()
    count, total, peak = 0, 0.0, -np.inf
    for tile in tiles(band, size):
        valid = tile if nodata is None else tile[tile != nodata]
        if valid.size == 0:
            continue
        count += valid.size
        total += valid.sum()
        peak = max(peak, valid.max())
    return {"count": count, "mean": total / max(count, 1), "max": peak}


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path")
    parser.add_argument("--band", type=int, default=1)
    parser.add_argument("--tile", type=int, default=512)
    args = parser.parse_args(argv)
    stats = summarise(args.path, args.band, args.tile)
    for key, value in stats.items():
        print(f"{key:>6} {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

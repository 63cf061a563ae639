"""Drops the bookkeeping columns of a vector layer."""
import sys

from osgeo import ogr

ogr.UseExceptions()

PREFIXES = ("tmp_", "_old")


def wanted(name):
    return not name.lower().startswith(PREFIXES)


def drop_columns(layer, log):
    schema = layer.GetLayerDefn()
    removed = []
    for index in reversed(range(schema.GetFieldCount())):
        field = schema.GetFieldDefn(index)
        if wanted(field.GetName()):
            continue
        if not layer.TestCapability(ogr.OLCDeleteField):
            raise RuntimeError(f"{layer.GetName()} is read only")
        layer.DeleteField(index)
        log(f"dropped {field.GetName()} ({field.GetTypeName()})")
        removed.append(index)
    return removed


def tidy(path):
    source = ogr.Open(path, 1)
    if source is None:
        raise OSError(path)
    count = 0
    for i in range(source.GetLayerCount()):
        layer = source.GetLayer(i)
        count += len(drop_columns(layer, lambda text: print(text, file=sys.stderr)))
    source.FlushCache()
    return count


if __name__ == "__main__":
    print(sum(tidy(p) for p in sys.argv[1:]), "columns dropped")

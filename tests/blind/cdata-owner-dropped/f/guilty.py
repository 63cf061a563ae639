"""Table schemas for the ``tbl`` engine, through cffi in ABI mode."""

from collections import namedtuple

import cffi

ffi = cffi.FFI()
ffi.cdef(
    """
    typedef struct { const char *name; int kind; int nullable; } tbl_column;
    typedef struct tbl tbl;
    tbl *tbl_open(const char *path, const tbl_column *cols, size_t n);
    void tbl_close(tbl *t);
    int tbl_rows(const tbl *t);
    """
)
lib = ffi.dlopen("libtbl.so")

Column = namedtuple("Column", "name kind nullable")

KINDS = {"int64": 1, "float64": 2, "utf8": 3}


class SchemaError(ValueError):
    pass


def _fill_columns(columns, keep):
    cols = ffi.new("tbl_column[]", len(columns))
    keep.append(cols)
    for slot, column in zip(cols, columns):
        if column.kind not in KINDS:
            raise SchemaError(f"unknown column kind {column.kind!r}")
        slot.name = ffi.new("char[]", column.name.encode())
        slot.kind = KINDS[column.kind]
        slot.nullable = int(column.nullable)
    return cols


class Table:
    """An open table; use it in a ``with`` statement."""

    def __init__(self, path, columns):
        self._keep = []
        cols = _fill_columns(columns, self._keep)
        self._tbl = lib.tbl_open(path.encode(), cols, len(columns))
        if self._tbl == ffi.NULL:
            raise OSError(f"cannot open table {path}")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def __len__(self):
        if self._tbl is None:
            raise ValueError("table is closed")
        return lib.tbl_rows(self._tbl)

    def close(self):
        if self._tbl is not None:
            lib.tbl_close(self._tbl)
            self._tbl = None
            self._keep.clear()

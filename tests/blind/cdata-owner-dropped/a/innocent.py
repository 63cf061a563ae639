"""Polygon helpers on top of libgeomini."""
from cffi import FFI

ffi = FFI()
ffi.cdef(
    """
    typedef struct { double x, y; } gm_point;
    double gm_area(const gm_point *pts, size_t n);
    int gm_triangulate(const gm_point *pts, size_t n, int *out, size_t cap);
    """
)
lib = ffi.dlopen("libgeomini.so.1")


class Degenerate(ValueError):
    pass


def pack_outline(points):
    if len(points) < 3:
        raise Degenerate("an outline needs three points")
    return ffi.new("gm_point[]", [tuple(p) for p in points]), len(points)


def area(points):
    pts, n = pack_outline(points)
    return lib.gm_area(pts, n)


def triangulate(points):
    """Indices of the triangles, three by three."""
    pts, n = pack_outline(points)
    cap = 3 * (n - 2)
    out = ffi.new("int[]", cap)
    got = lib.gm_triangulate(pts, n, out, cap)
    if got < 0:
        raise Degenerate("outline crosses itself")
    return [tuple(out[i : i + 3]) for i in range(0, got, 3)]

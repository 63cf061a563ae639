"""Draws vector layers with libmapraster through cffi."""

from dataclasses import dataclass, field

import cffi

ffi = cffi.FFI()
ffi.cdef(
    """
    typedef struct {
        const char *title;
        const double *xy;
        size_t count;
        uint32_t rgba;
    } mr_layer;

    typedef struct mr_canvas mr_canvas;
    mr_canvas *mr_canvas_new(int width, int height);
    void mr_canvas_free(mr_canvas *canvas);
    int mr_draw(mr_canvas *canvas, const mr_layer *layers, size_t n);
    int mr_write_png(mr_canvas *canvas, const char *path);
    """
)
C = ffi.dlopen("libmapraster.so.1")


@dataclass
class Layer:
    title: str
    rgba: int = 0x000000FF
    points: list = field(default_factory=list)


class Canvas:
    def __init__(self, width, height):
        raw = C.mr_canvas_new(width, height)
        if raw == ffi.NULL:
            raise MemoryError("no canvas")
        self._canvas = ffi.gc(raw, C.mr_canvas_free)

    def draw(self, layers):
        specs = ffi.new("mr_layer[]", len(layers))
        keep = []
        for i, layer in enumerate(layers):
            title = ffi.new("char[]", layer.title.encode("utf-8"))
            xy = ffi.new("double[]", [v for point in layer.points for v in point])
            keep.append(xy)
            spec = specs[i]
            spec.title = title
            spec.xy = xy
            spec.count = len(layer.points)
            spec.rgba = layer.rgba
        if C.mr_draw(self._canvas, specs, len(layers)) != 0:
            raise RuntimeError(f"could not draw {len(keep)} layers")

    def save(self, path):
        if C.mr_write_png(self._canvas, str(path).encode()) != 0:
            raise OSError(f"could not write {path}")


def overview(path, coast, roads):
    canvas = Canvas(1024, 768)
    canvas.draw(
        [
            Layer("Coastline", 0x2060A0FF, coast),
            Layer("Roads", 0x804000FF, roads),
        ]
    )
    canvas.save(path)

"""Renders postage labels with cairo, called through cffi."""

import contextlib
from dataclasses import dataclass

import cffi

ffi = cffi.FFI()
ffi.cdef(
    """
    typedef struct _cairo cairo_t;
    typedef struct _cairo_surface cairo_surface_t;
    cairo_surface_t *cairo_image_surface_create(int format, int width, int height);
    unsigned char *cairo_image_surface_get_data(cairo_surface_t *surface);
    int cairo_image_surface_get_stride(cairo_surface_t *surface);
    int cairo_surface_status(cairo_surface_t *surface);
    void cairo_surface_flush(cairo_surface_t *surface);
    void cairo_surface_destroy(cairo_surface_t *surface);
    cairo_t *cairo_create(cairo_surface_t *target);
    void cairo_destroy(cairo_t *cr);
    void cairo_set_source_rgb(cairo_t *cr, double r, double g, double b);
    void cairo_paint(cairo_t *cr);
    void cairo_move_to(cairo_t *cr, double x, double y);
    void cairo_set_font_size(cairo_t *cr, double size);
    void cairo_show_text(cairo_t *cr, const char *utf8);
    """
)
C = ffi.dlopen("libcairo.so.2")

FORMAT_RGB24 = 1


@dataclass(frozen=True)
class Label:
    width: int
    height: int
    stride: int
    pixels: bytes


def _write_lines(cr, lines, size):
    C.cairo_set_source_rgb(cr, 1, 1, 1)
    C.cairo_paint(cr)
    C.cairo_set_source_rgb(cr, 0, 0, 0)
    C.cairo_set_font_size(cr, size)
    for i, line in enumerate(lines, 1):
        C.cairo_move_to(cr, size, i * size * 1.4)
        C.cairo_show_text(cr, line.encode("utf-8"))


def render(lines, width=480, height=240, size=22):
    with contextlib.ExitStack() as stack:
        surface = C.cairo_image_surface_create(FORMAT_RGB24, width, height)
        stack.callback(C.cairo_surface_destroy, surface)
        if C.cairo_surface_status(surface) != 0:
            raise MemoryError("no surface for the label")
        cr = C.cairo_create(surface)
        stack.callback(C.cairo_destroy, cr)
        _write_lines(cr, lines, size)
        C.cairo_surface_flush(surface)
        stride = C.cairo_image_surface_get_stride(surface)
    pixels = ffi.buffer(C.cairo_image_surface_get_data(surface), stride * height)[:]
    return Label(width, height, stride, pixels)


def address_label(name, street, town):
    return render([name, street, town.upper()])

/* Offline map packs: the parts of a pack are read from disk when first needed. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdio.h>

#define PART_TILES   0x1u
#define PART_LABELS  0x2u
#define PART_RELIEF  0x4u

typedef struct {
    PyObject_HEAD
    FILE *file;
    unsigned parts;        /* PART_* that are in memory */
    uint32_t *tiles;
    size_t tile_count;
} MapPack;

static int
read_tiles(MapPack *self)
{
    uint32_t count;
    if (fseek(self->file, 16, SEEK_SET) != 0 || fread(&count, sizeof count, 1, self->file) != 1) {
        PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
    if (count == 0) {
        PyErr_SetString(PyExc_ValueError, "the pack has no tiles");
        return -1;
    }
    uint32_t *tiles = PyMem_New(uint32_t, count);
    if (tiles == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    if (fread(tiles, sizeof *tiles, count, self->file) != count) {
        PyMem_Free(tiles);
        PyErr_SetString(PyExc_EOFError, "the pack ends within its tile table");
        return -1;
    }
    self->tiles = tiles;
    self->tile_count = count;
    return 0;
}

static int
MapPack_ensure(MapPack *self, unsigned wanted)
{
    unsigned missing = wanted & ~self->parts;
    if (missing == 0)
        return 0;
    if (self->file == NULL) {
        PyErr_SetString(PyExc_ValueError, "the pack is closed");
        return -1;
    }
    self->parts |= missing;
    if ((missing & PART_TILES) && read_tiles(self) < 0)
        return -1;
    return 0;
}

static PyObject *
MapPack_tile(PyObject *op, PyObject *arg)
{
    MapPack *self = (MapPack *)op;
    size_t index = PyLong_AsSize_t(arg);
    if (index == (size_t)-1 && PyErr_Occurred())
        return NULL;
    if (MapPack_ensure(self, PART_TILES) < 0)
        return NULL;
    return PyLong_FromUnsignedLong(self->tiles[index % self->tile_count]);
}

void
MapPack_dealloc(PyObject *op)
{
    MapPack *self = (MapPack *)op;
    if (self->file != NULL)
        fclose(self->file);
    PyMem_Free(self->tiles);
    Py_TYPE(op)->tp_free(op);
}

PyMethodDef MapPack_methods[] = {
    {"tile", MapPack_tile, METH_O, "The offset of a tile; the index wraps around."},
    {NULL, NULL, 0, NULL},
};

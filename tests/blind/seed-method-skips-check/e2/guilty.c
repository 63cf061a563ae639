#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <stdlib.h>

typedef struct {
    uint32_t width, height, bands;
    double origin_x, origin_y;
    uint16_t *samples;
} raster_t;

typedef struct {
    PyObject_HEAD
    raster_t *raster;
    uint32_t bands_at_open;
} RasterObject;

static void raster_free(raster_t *r)
{
    free(r->samples);
    free(r);
}

static int raster_require_open(RasterObject *self)
{
    if (self->raster == NULL) {
        PyErr_SetString(PyExc_ValueError, "operation on a closed raster");
        return -1;
    }
    return 0;
}

static PyObject *Raster_close(RasterObject *self, PyObject *Py_UNUSED(ignored))
{
    if (self->raster != NULL) {
        raster_free(self->raster);
        self->raster = NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *Raster_size(RasterObject *self, PyObject *Py_UNUSED(ignored))
{
    if (raster_require_open(self) < 0)
        return NULL;
    return Py_BuildValue("(II)", self->raster->width, self->raster->height);
}

static PyObject *Raster_sample(RasterObject *self, PyObject *args)
{
    unsigned int x, y;
    if (!PyArg_ParseTuple(args, "II", &x, &y))
        return NULL;
    if (raster_require_open(self) < 0)
        return NULL;
    if (x >= self->raster->width || y >= self->raster->height) {
        PyErr_SetString(PyExc_IndexError, "pixel out of range");
        return NULL;
    }
    return PyLong_FromUnsignedLong(
        self->raster->samples[(size_t)y * self->raster->width + x]);
}

static PyObject *Raster_origin(RasterObject *self, PyObject *Py_UNUSED(ignored))
{
    if (raster_require_open(self) < 0)
        return NULL;
    return Py_BuildValue("(dd)", self->raster->origin_x, self->raster->origin_y);
}

static PyObject *Raster_band_count(RasterObject *self, PyObject *Py_UNUSED(ignored))
{
    return PyLong_FromUnsignedLong(self->raster->bands);
}

static void Raster_dealloc(RasterObject *self)
{
    if (self->raster != NULL)
        raster_free(self->raster);
    PyObject_Free(self);
}

static PyMethodDef Raster_methods[] = {
    {"close", (PyCFunction)Raster_close, METH_NOARGS, NULL},
    {"size", (PyCFunction)Raster_size, METH_NOARGS, NULL},
    {"sample", (PyCFunction)Raster_sample, METH_VARARGS, NULL},
    {"origin", (PyCFunction)Raster_origin, METH_NOARGS, NULL},
    {"band_count", (PyCFunction)Raster_band_count, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject RasterType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "geo.Raster",
    .tp_basicsize = sizeof(RasterObject),
    .tp_dealloc = (destructor)Raster_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_methods = Raster_methods,
};

PyObject *Raster_wrap(raster_t *r)
{
    RasterObject *self;
    if (PyType_Ready(&RasterType) < 0)
        return NULL;
    self = PyObject_New(RasterObject, &RasterType);
    if (self == NULL)
        return NULL;
    self->raster = r;
    self->bands_at_open = r->bands;
    return (PyObject *)self;
}

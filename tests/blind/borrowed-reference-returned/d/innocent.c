/* Font faces: face["a"] gives the Glyph of a character, rasterised once. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *glyphs;      /* dict: str -> Glyph */
    PyObject *fallback;    /* Glyph drawn for characters that the face lacks */
    PyObject *rasterise;   /* callable(str) -> Glyph or None */
} FontFace;

static int
FontFace_fill(FontFace *self, PyObject *key)
{
    PyObject *glyph = PyObject_CallFunctionObjArgs(self->rasterise, key, NULL);
    if (glyph == NULL)
        return -1;
    if (glyph == Py_None) {
        Py_DECREF(glyph);
        return 0;
    }
    int rc = PyDict_SetItem(self->glyphs, key, glyph);
    Py_DECREF(glyph);
    return rc;
}

static PyObject *
FontFace_subscript(PyObject *op, PyObject *key)
{
    FontFace *self = (FontFace *)op;

    if (!PyUnicode_Check(key) || PyUnicode_GetLength(key) != 1) {
        PyErr_SetString(PyExc_TypeError, "a face is indexed by one character");
        return NULL;
    }
    PyObject *glyph = PyDict_GetItemWithError(self->glyphs, key);
    if (glyph == NULL) {
        if (PyErr_Occurred())
            return NULL;
        if (FontFace_fill(self, key) < 0)
            return NULL;
        glyph = PyDict_GetItemWithError(self->glyphs, key);
        if (glyph == NULL && PyErr_Occurred())
            return NULL;
    }
    return Py_NewRef(glyph != NULL ? glyph : self->fallback);
}

static Py_ssize_t
FontFace_length(PyObject *op)
{
    return PyDict_Size(((FontFace *)op)->glyphs);
}

static void
FontFace_dealloc(PyObject *op)
{
    FontFace *self = (FontFace *)op;
    Py_XDECREF(self->glyphs);
    Py_XDECREF(self->fallback);
    Py_XDECREF(self->rasterise);
    Py_TYPE(op)->tp_free(op);
}

static PyMappingMethods FontFace_mapping = {
    .mp_length = FontFace_length,
    .mp_subscript = FontFace_subscript,
};

PyTypeObject FontFace_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "typeset.FontFace",
    .tp_basicsize = sizeof(FontFace),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = FontFace_dealloc,
    .tp_as_mapping = &FontFace_mapping,
};

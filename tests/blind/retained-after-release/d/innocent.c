#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *factory; /* callable: scene name -> palette */
    PyObject *palette;
} Fixture;

static int
fixture_init(Fixture *self, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *factory;
    if (!PyArg_ParseTuple(args, "O:Fixture", &factory))
        return -1;
    Py_XSETREF(self->factory, Py_NewRef(factory));
    return 0;
}

static void
fixture_dealloc(Fixture *self)
{
    Py_CLEAR(self->palette);
    Py_CLEAR(self->factory);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* Switches the lamp to another scene.  While the factory runs the lamp is dark
 * (no palette); a scene that cannot be made leaves the lamp as it was. */
static PyObject *
fixture_scene(Fixture *self, PyObject *name)
{
    if (self->factory == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "fixture has no factory");
        return NULL;
    }

    PyObject *before = Py_XNewRef(self->palette);
    Py_CLEAR(self->palette);

    PyObject *made = PyObject_CallOneArg(self->factory, name);
    if (made == NULL) {
        if (self->palette == NULL)
            self->palette = Py_XNewRef(before);
        Py_XDECREF(before);
        return NULL;
    }
    Py_XSETREF(self->palette, made);
    Py_XDECREF(before);
    Py_RETURN_NONE;
}

static PyObject *
fixture_get_palette(Fixture *self, void *Py_UNUSED(closure))
{
    if (self->palette == NULL)
        Py_RETURN_NONE;
    return Py_NewRef(self->palette);
}

static PyMethodDef fixture_methods[] = {
    {"scene", (PyCFunction)fixture_scene, METH_O, "Switch to a scene."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef fixture_getset[] = {
    {"palette", (getter)fixture_get_palette, NULL, "Current palette.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject FixtureType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "_stage.Fixture",
    .tp_basicsize = sizeof(Fixture),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)fixture_init,
    .tp_dealloc = (destructor)fixture_dealloc,
    .tp_methods = fixture_methods,
    .tp_getset = fixture_getset,
};

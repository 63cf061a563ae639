/* _study: imaging studies and their series. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

extern "C" {
typedef struct dcm_study dcm_study;
typedef struct dcm_series dcm_series;
dcm_study *dcm_study_read(const char *directory);
void dcm_study_free(dcm_study *study); /* frees the series as well; NULL is fine */
dcm_series *dcm_study_series(dcm_study *study, int index); /* NULL past the last one */
void dcm_study_drop(dcm_study *study, dcm_series *series); /* frees it */
const char *dcm_series_modality(const dcm_series *series);
}

typedef struct study_object study_object;

typedef struct series_object {
    PyObject_HEAD
    dcm_series *native; /* NULL: no longer part of the study */
    study_object *study;
    struct series_object *next;
} series_object;

struct study_object {
    PyObject_HEAD
    dcm_study *native; /* NULL: closed */
    series_object *wrapped; /* borrowed, each unlinks itself */
};

static void series_dealloc(PyObject *op)
{
    series_object *self = (series_object *)op;
    series_object **link = &self->study->wrapped;
    while (*link != NULL && *link != self)
        link = &(*link)->next;
    if (*link != NULL)
        *link = self->next;
    Py_DECREF((PyObject *)self->study);
    PyObject_Free(op);
}

static PyObject *series_modality(PyObject *op, void *)
{
    series_object *self = (series_object *)op;
    if (self->native == NULL)
        return PyErr_Format(PyExc_ReferenceError, "the series is gone");
    return PyUnicode_FromString(dcm_series_modality(self->native));
}

static PyTypeObject series_type = {
    PyVarObject_HEAD_INIT(NULL, 0) "_study.Series", sizeof(series_object), 0, series_dealloc};

static int study_check(study_object *self)
{
    if (self->native == NULL)
        PyErr_SetString(PyExc_ValueError, "the study is closed");
    return self->native != NULL;
}

static PyObject *study_series(PyObject *op, PyObject *args)
{
    study_object *self = (study_object *)op;
    int index;
    if (!PyArg_ParseTuple(args, "i", &index) || !study_check(self))
        return NULL;
    dcm_series *native = dcm_study_series(self->native, index);
    if (native == NULL)
        return PyErr_Format(PyExc_IndexError, "no series %d", index);
    for (series_object *s = self->wrapped; s != NULL; s = s->next) {
        if (s->native == native)
            return Py_NewRef((PyObject *)s);
    }
    series_object *fresh = PyObject_New(series_object, &series_type);
    if (fresh == NULL)
        return NULL;
    Py_INCREF(op);
    fresh->native = native;
    fresh->study = self;
    fresh->next = self->wrapped;
    self->wrapped = fresh;
    return (PyObject *)fresh;
}

static PyObject *study_drop(PyObject *op, PyObject *args)
{
    study_object *self = (study_object *)op;
    series_object *s;
    if (!PyArg_ParseTuple(args, "O!", &series_type, &s) || !study_check(self))
        return NULL;
    if (s->study != self || s->native == NULL)
        return PyErr_Format(PyExc_ValueError, "not a series of this study");
    dcm_study_drop(self->native, s->native);
    s->native = NULL;
    Py_RETURN_NONE;
}

static PyObject *study_close(PyObject *op, PyObject *)
{
    study_object *self = (study_object *)op;
    for (series_object *s = self->wrapped; s != NULL; s = s->next)
        s->native = NULL;
    dcm_study_free(self->native);
    self->native = NULL;
    Py_RETURN_NONE;
}

static void study_dealloc(PyObject *op)
{
    dcm_study_free(((study_object *)op)->native);
    PyObject_Free(op);
}

static PyTypeObject study_type = {
    PyVarObject_HEAD_INIT(NULL, 0) "_study.Study", sizeof(study_object), 0, study_dealloc};

static PyObject *module_read(PyObject *, PyObject *args)
{
    const char *directory;
    if (!PyArg_ParseTuple(args, "s", &directory))
        return NULL;
    dcm_study *native = dcm_study_read(directory);
    if (native == NULL)
        return PyErr_SetFromErrnoWithFilename(PyExc_OSError, directory);
    study_object *self = PyObject_New(study_object, &study_type);
    if (self == NULL) {
        dcm_study_free(native);
        return NULL;
    }
    self->native = native;
    self->wrapped = NULL;
    return (PyObject *)self;
}

static PyGetSetDef series_getset[] = {{"modality", series_modality}, {NULL}};
static PyMethodDef study_methods[] = {{"series", study_series, METH_VARARGS, NULL},
                                      {"drop", study_drop, METH_VARARGS, NULL},
                                      {"close", study_close, METH_NOARGS, NULL},
                                      {NULL}};
static PyMethodDef module_methods[] = {{"read", module_read, METH_VARARGS, NULL}, {NULL}};
static PyModuleDef module_def = {PyModuleDef_HEAD_INIT, "_study", NULL, -1, module_methods};

PyMODINIT_FUNC PyInit__study(void)
{
    series_type.tp_flags = study_type.tp_flags = Py_TPFLAGS_DEFAULT;
    series_type.tp_getset = series_getset;
    study_type.tp_methods = study_methods;
    if (PyType_Ready(&series_type) < 0 || PyType_Ready(&study_type) < 0)
        return NULL;
    return PyModule_Create(&module_def);
}

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <alsa/asoundlib.h>

typedef struct {
    PyObject_HEAD
    snd_pcm_t *pcm;
    unsigned int rate;
} OutputObject;

#define ALIVE(self)                                                     \
    do {                                                                \
        if ((self)->pcm == NULL) {                                      \
            PyErr_SetString(PyExc_ValueError, "the output is closed");  \
            return NULL;                                                \
        }                                                               \
    } while (0)

static PyObject *alsa_error(int code)
{
    return PyErr_Format(PyExc_OSError, "%s", snd_strerror(code));
}

static PyObject *output_open(OutputObject *self, PyObject *args)
{
    const char *name = "default";
    if (!PyArg_ParseTuple(args, "|sI", &name, &self->rate)) {
        return NULL;
    }
    if (self->pcm != NULL) {
        PyErr_SetString(PyExc_ValueError, "the output is open");
        return NULL;
    }
    int rc = snd_pcm_open(&self->pcm, name, SND_PCM_STREAM_PLAYBACK, 0);
    if (rc < 0) {
        self->pcm = NULL;
        return alsa_error(rc);
    }
    Py_RETURN_NONE;
}

static PyObject *output_close(OutputObject *self, PyObject *Py_UNUSED(ignored))
{
    if (self->pcm != NULL) {
        snd_pcm_close(self->pcm);
        self->pcm = NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *output_state(OutputObject *self, PyObject *Py_UNUSED(ignored))
{
    ALIVE(self);
    return PyUnicode_FromString(snd_pcm_state_name(snd_pcm_state(self->pcm)));
}

static PyObject *output_available(OutputObject *self, PyObject *Py_UNUSED(ignored))
{
    ALIVE(self);
    snd_pcm_sframes_t n = snd_pcm_avail(self->pcm);
    return n < 0 ? alsa_error((int)n) : PyLong_FromLong(n);
}

static PyObject *output_drop(OutputObject *self, PyObject *Py_UNUSED(ignored))
{
    ALIVE(self);
    int rc = snd_pcm_drop(self->pcm);
    if (rc < 0) {
        return alsa_error(rc);
    }
    Py_RETURN_NONE;
}

static PyMethodDef output_methods[] = {
    {"open", (PyCFunction)output_open, METH_VARARGS, NULL},
    {"close", (PyCFunction)output_close, METH_NOARGS, NULL},
    {"state", (PyCFunction)output_state, METH_NOARGS, NULL},
    {"available", (PyCFunction)output_available, METH_NOARGS, NULL},
    {"drop", (PyCFunction)output_drop, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

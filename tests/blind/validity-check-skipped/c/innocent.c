#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct mid_song mid_song;
void mid_song_free(mid_song *song);
int mid_song_tempo(const mid_song *song);
int mid_song_tracks(const mid_song *song);
int mid_song_transpose(mid_song *song, int semitones);

typedef struct {
    PyObject_HEAD
    mid_song *song;    /* NULL once close() was called */
} Song;

#define SONG_OR_RETURN(self, failure)                                    \
    do {                                                                 \
        if ((self)->song == NULL) {                                      \
            PyErr_SetString(PyExc_ValueError, "the song is closed");     \
            return failure;                                              \
        }                                                                \
    } while (0)

static PyObject *
song_close(Song *self, PyObject *Py_UNUSED(ignored))
{
    if (self->song != NULL) {
        mid_song_free(self->song);
        self->song = NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
song_transpose(Song *self, PyObject *arg)
{
    SONG_OR_RETURN(self, NULL);
    long semitones = PyLong_AsLong(arg);
    if (semitones == -1 && PyErr_Occurred())
        return NULL;
    if (semitones < -48 || semitones > 48)
        return PyErr_Format(PyExc_ValueError, "%ld semitones", semitones);
    return PyBool_FromLong(mid_song_transpose(self->song, (int)semitones) == 0);
}

static PyObject *
song_get_tempo(Song *self, void *Py_UNUSED(closure))
{
    SONG_OR_RETURN(self, NULL);
    return PyLong_FromLong(mid_song_tempo(self->song));
}

static Py_ssize_t
song_length(Song *self)
{
    SONG_OR_RETURN(self, -1);
    return mid_song_tracks(self->song);
}

PyMethodDef song_methods[] = {
    {"close", (PyCFunction)song_close, METH_NOARGS, NULL},
    {"transpose", (PyCFunction)song_transpose, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

PyGetSetDef song_getset[] = {
    {"tempo", (getter)song_get_tempo, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PySequenceMethods song_as_sequence = {
    .sq_length = (lenfunc)song_length,
};

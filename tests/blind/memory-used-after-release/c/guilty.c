/* Sheet music: reads the header of an engraved score. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BARS 4096
#define HEADER_LEN 66

typedef struct {
    char title[64];
    int bars;
    unsigned char *notes;
} score_t;

static void
score_close(score_t *score)
{
    if (score == NULL)
        return;
    free(score->notes);
    free(score);
}

static score_t *
score_open(const char *data, Py_ssize_t len)
{
    if (len < HEADER_LEN)
        return NULL;
    score_t *score = calloc(1, sizeof(*score));
    if (score == NULL)
        return NULL;
    memcpy(score->title, data, sizeof(score->title) - 1);
    score->bars = ((unsigned char)data[64] << 8) | (unsigned char)data[65];
    score->notes = malloc((size_t)(len - HEADER_LEN) + 1);
    if (score->notes == NULL) {
        score_close(score);
        return NULL;
    }
    memcpy(score->notes, data + HEADER_LEN, (size_t)(len - HEADER_LEN));
    return score;
}

PyObject *
score_from_bytes(PyObject *Py_UNUSED(module), PyObject *args)
{
    const char *data;
    Py_ssize_t len;

    if (!PyArg_ParseTuple(args, "y#:score_from_bytes", &data, &len))
        return NULL;
    score_t *score = score_open(data, len);
    if (score == NULL)
        return PyErr_Format(PyExc_ValueError, "not a score (%zd bytes)", len);
    if (score->bars > MAX_BARS) {
        score_close(score);
        return PyErr_Format(PyExc_ValueError, "'%.63s' has %d bars, at most %d",
                            score->title, score->bars, MAX_BARS);
    }
    PyObject *result = Py_BuildValue("(siy#)", score->title, score->bars,
                                     (const char *)score->notes, len - HEADER_LEN);
    score_close(score);
    return result;
}

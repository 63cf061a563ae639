/* search(position, depth): fixed-depth search of a chess position. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

typedef struct board board;
board *board_from_fen(const char *fen);
void board_free(board *b);

typedef struct {
    board *root;
    uint64_t nodes;
    int stopped;
    int best_score;
} search_state;

/* Searches one more root move; returns 0 once all have been searched. */
int search_next(search_state *state, int depth);

static int
wants_stop(search_state *state)
{
    if (PyErr_CheckSignals() != 0)
        state->stopped = 1;
    return state->stopped;
}

static PyObject *
chess_search(PyObject *module, PyObject *args)
{
    const char *fen;
    int depth;
    if (!PyArg_ParseTuple(args, "si:search", &fen, &depth))
        return NULL;

    search_state state = {0};
    state.root = board_from_fen(fen);
    if (state.root == NULL) {
        PyErr_SetString(PyExc_ValueError, "not a FEN position");
        return NULL;
    }

    int level = 1;
    Py_BEGIN_ALLOW_THREADS
    while (level <= depth) {
        if (!search_next(&state, level))
            level++;
        if (wants_stop(&state))
            break;
    }
    Py_END_ALLOW_THREADS

    board_free(state.root);
    if (state.stopped)
        return NULL;
    return Py_BuildValue("(iK)", state.best_score, (unsigned long long)state.nodes);
}

static PyMethodDef chess_methods[] = {
    {"search", chess_search, METH_VARARGS, "search(fen, depth) -> (score, nodes)"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef chess_module = {
    PyModuleDef_HEAD_INIT, "_chess", NULL, -1, chess_methods,
};

PyMODINIT_FUNC
PyInit__chess(void)
{
    return PyModule_Create(&chess_module);
}

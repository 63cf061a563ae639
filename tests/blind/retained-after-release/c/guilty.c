/* Auction house: picks the winning bid out of any iterable of bids. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* The amount of a bid; -1.0 with an exception set when it has none. */
static double
bid_amount(PyObject *bid)
{
    PyObject *value = PyObject_GetAttrString(bid, "amount");
    if (value == NULL)
        return -1.0;
    double amount = PyFloat_AsDouble(value);
    Py_DECREF(value);
    return amount;
}

static PyObject *
auction_best_bid(PyObject *Py_UNUSED(module), PyObject *bids)
{
    PyObject *best = NULL;
    PyObject *bid;
    double highest = 0.0;

    PyObject *it = PyObject_GetIter(bids);
    if (it == NULL)
        return NULL;

    while ((bid = PyIter_Next(it)) != NULL) {
        double amount = bid_amount(bid);
        Py_DECREF(bid);
        if (amount == -1.0 && PyErr_Occurred())
            goto fail;
        if (best == NULL || amount > highest) {
            highest = amount;
            Py_XSETREF(best, Py_NewRef(bid));
        }
    }
    if (PyErr_Occurred())
        goto fail;

    Py_DECREF(it);
    if (best == NULL)
        Py_RETURN_NONE;
    return best;

fail:
    Py_DECREF(it);
    Py_XDECREF(best);
    return NULL;
}

static PyMethodDef auction_methods[] = {
    {"best_bid", auction_best_bid, METH_O, "The bid with the highest amount."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef auction_module = {
    PyModuleDef_HEAD_INIT, "_auction", NULL, -1, auction_methods,
};

PyMODINIT_FUNC
PyInit__auction(void)
{
    return PyModule_Create(&auction_module);
}

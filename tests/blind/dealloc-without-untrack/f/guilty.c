#include <Python.h>
#include <stddef.h>

typedef struct {
    PyObject_HEAD
    PyObject *callback;
    PyObject *context;
    unsigned long fired;
} SubscriptionObject;

static int
subscription_traverse(SubscriptionObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->callback);
    Py_VISIT(self->context);
    return 0;
}

static int
subscription_clear(SubscriptionObject *self)
{
    Py_CLEAR(self->callback);
    Py_CLEAR(self->context);
    return 0;
}

static void
subscription_dealloc(SubscriptionObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    (void)subscription_clear(self);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static PyObject *
subscription_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"callback", "context", NULL};
    PyObject *callback, *context = Py_None;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:Subscription", keywords,
                                     &callback, &context))
        return NULL;
    if (!PyCallable_Check(callback)) {
        PyErr_Format(PyExc_TypeError, "%R is not callable", callback);
        return NULL;
    }
    SubscriptionObject *self = (SubscriptionObject *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->callback = Py_NewRef(callback);
    self->context = Py_NewRef(context);
    return (PyObject *)self;
}

static PyObject *
subscription_fire(SubscriptionObject *self, PyObject *event)
{
    if (self->callback == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "subscription was cleared");
        return NULL;
    }
    PyObject *callback = Py_NewRef(self->callback);
    PyObject *context = Py_NewRef(self->context);
    PyObject *result = PyObject_CallFunctionObjArgs(callback, event, context, NULL);
    Py_DECREF(callback);
    Py_DECREF(context);
    if (result != NULL)
        self->fired++;
    return result;
}

static PyObject *
subscription_get_fired(SubscriptionObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLong(self->fired);
}

static PyMethodDef subscription_methods[] = {
    {"fire", (PyCFunction)subscription_fire, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef subscription_getset[] = {
    {"fired", (getter)subscription_get_fired, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot subscription_slots[] = {
    {Py_tp_new, (void *)subscription_new},
    {Py_tp_dealloc, (void *)subscription_dealloc},
    {Py_tp_traverse, (void *)subscription_traverse},
    {Py_tp_clear, (void *)subscription_clear},
    {Py_tp_methods, subscription_methods},
    {Py_tp_getset, subscription_getset},
    {0, NULL},
};

PyType_Spec subscription_spec = {
    .name = "_events.Subscription",
    .basicsize = sizeof(SubscriptionObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = subscription_slots,
};

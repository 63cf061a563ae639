#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject *parent;
    PyObject *payload;
    Py_ssize_t depth;
} Node;

static int Node_init(Node *self, PyObject *args, PyObject *kwds)
{
    static char *names[] = {"payload", "parent", NULL};
    PyObject *payload, *parent = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwds, "O|O:Node", names, &payload, &parent))
        return -1;
    if (parent != Py_None && !Py_IS_TYPE(parent, Py_TYPE(self))) {
        PyErr_SetString(PyExc_TypeError, "parent must be a Node or None");
        return -1;
    }
    Py_XSETREF(self->payload, Py_NewRef(payload));
    Py_XSETREF(self->parent, Py_NewRef(parent));
    self->depth = parent == Py_None ? 0 : ((Node *)parent)->depth + 1;
    return 0;
}

static int Node_traverse(Node *self, visitproc visit, void *arg)
{
    Py_VISIT(self->parent);
    Py_VISIT(self->payload);
    return 0;
}

static int Node_clear(Node *self)
{
    Py_CLEAR(self->parent);
    Py_CLEAR(self->payload);
    return 0;
}

static void Node_dealloc(Node *self)
{
    PyObject_GC_UnTrack(self);
    Node_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *Node_get_parent(Node *self, void *closure)
{
    if (self->parent == NULL)
        Py_RETURN_NONE;
    return Py_NewRef(self->parent);
}

static PyGetSetDef Node_getset[] = {
    {"parent", (getter)Node_get_parent, NULL, "The node above, or None.", NULL},
    {NULL},
};

static PyMemberDef Node_members[] = {
    {"payload", T_OBJECT_EX, offsetof(Node, payload), READONLY, "What the node carries."},
    {"depth", T_PYSSIZET, offsetof(Node, depth), READONLY, "Distance from the root."},
    {NULL},
};

PyTypeObject Node_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "xmltree.Node",
    .tp_basicsize = sizeof(Node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)Node_init,
    .tp_dealloc = (destructor)Node_dealloc,
    .tp_traverse = (traverseproc)Node_traverse,
    .tp_clear = (inquiry)Node_clear,
    .tp_getset = Node_getset,
    .tp_members = Node_members,
};

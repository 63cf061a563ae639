#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <new>
#include <vector>

namespace grammar {

struct Rule {
    std::vector<PyObject *> alternatives;
    PyObject *action = nullptr;

    template <class F>
    int each(F &&f)
    {
        for (PyObject *alt : alternatives)
            if (int r = f(alt))
                return r;
        return action ? f(action) : 0;
    }

    void drop()
    {
        std::vector<PyObject *> dead;
        dead.swap(alternatives);
        for (PyObject *alt : dead)
            Py_DECREF(alt);
        Py_CLEAR(action);
    }
};

struct RuleObject {
    PyObject_HEAD
    Rule rule;
};

Rule &of(PyObject *op) { return reinterpret_cast<RuleObject *>(op)->rule; }

PyObject *rule_new(PyTypeObject *type, PyObject *args, PyObject *)
{
    PyObject *action = nullptr;
    if (!PyArg_ParseTuple(args, "|O:Rule", &action))
        return nullptr;
    PyObject *op = type->tp_alloc(type, 0);
    if (!op)
        return nullptr;
    new (&of(op)) Rule();
    of(op).action = Py_XNewRef(action);
    return op;
}

int rule_traverse(PyObject *op, visitproc visit, void *arg)
{
    return of(op).each([&](PyObject *member) { return visit(member, arg); });
}

int rule_clear(PyObject *op)
{
    of(op).drop();
    return 0;
}

PyObject *rule_add(PyObject *op, PyObject *alternative)
{
    of(op).alternatives.push_back(Py_NewRef(alternative));
    Py_RETURN_NONE;
}

void rule_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    of(op).drop();
    of(op).~Rule();
    type->tp_free(op);
    Py_DECREF(type);
}

PyMethodDef rule_methods[] = {
    {"add", rule_add, METH_O, "Add an alternative."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot rule_slots[] = {
    {Py_tp_methods, rule_methods},
    {Py_tp_new, reinterpret_cast<void *>(rule_new)},
    {Py_tp_dealloc, reinterpret_cast<void *>(rule_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void *>(rule_traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(rule_clear)},
    {0, nullptr},
};

PyType_Spec rule_spec = {"grammar.Rule", sizeof(RuleObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, rule_slots};

} // namespace grammar

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>

namespace wire {

class CodecSwitch {
public:
    explicit CodecSwitch(PyObject *registry) : registry_(Py_NewRef(registry)) {}
    CodecSwitch(const CodecSwitch &) = delete;
    CodecSwitch &operator=(const CodecSwitch &) = delete;
    ~CodecSwitch()
    {
        Py_XDECREF(current_);
        Py_DECREF(registry_);
    }

    bool select(PyObject *name)
    {
        PyObject *codec = PyDict_GetItemWithError(registry_, name);
        if (!codec) {
            if (!PyErr_Occurred())
                PyErr_Format(PyExc_LookupError, "unknown codec %R", name);
            return false;
        }
        PyObject *old = current_;
        current_ = Py_NewRef(codec);
        Py_XDECREF(old);
        return true;
    }

    PyObject *encode(PyObject *message)
    {
        if (!current_) {
            PyErr_SetString(PyExc_RuntimeError, "no codec selected");
            return nullptr;
        }
        PyObject *codec = Py_NewRef(current_);
        PyObject *frame = PyObject_CallMethod(codec, "encode", "(O)", message);
        Py_DECREF(codec);
        if (frame && !PyBytes_Check(frame)) {
            PyErr_SetString(PyExc_TypeError, "encode() must return bytes");
            Py_CLEAR(frame);
        }
        return frame;
    }

private:
    PyObject *registry_;
    PyObject *current_ = nullptr;
};

} // namespace wire

struct StreamObject {
    PyObject_HEAD
    wire::CodecSwitch *codecs;
    std::size_t sent;
};

PyObject *Stream_use(PyObject *op, PyObject *name)
{
    if (!reinterpret_cast<StreamObject *>(op)->codecs->select(name))
        return nullptr;
    Py_RETURN_NONE;
}

PyObject *Stream_send(PyObject *op, PyObject *message)
{
    auto *self = reinterpret_cast<StreamObject *>(op);
    PyObject *frame = self->codecs->encode(message);
    if (frame)
        self->sent += static_cast<std::size_t>(PyBytes_GET_SIZE(frame));
    return frame;
}

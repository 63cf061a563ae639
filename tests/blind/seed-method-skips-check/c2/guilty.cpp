/* clipbank.cpp: the _clipbank extension, banks of short audio clips. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <algorithm>
#include <vector>

struct snd_bank;
struct snd_clip;
extern "C" {
snd_bank *snd_bank_load(const char *path);
void snd_bank_unload(snd_bank *bank); /* frees all its clips; nullptr is fine */
snd_clip *snd_bank_clip(snd_bank *bank, const char *name);
snd_clip *snd_clip_copy(snd_bank *bank, const snd_clip *clip); /* into the same bank */
int snd_clip_play(snd_clip *clip);
void snd_clip_reverse(snd_clip *clip);
}

struct Bank;

struct Clip {
    PyObject_HEAD
    Bank *bank;
    snd_clip *handle;
    bool valid;
};

struct Bank {
    PyObject_HEAD
    snd_bank *handle;
    std::vector<Clip *> *clips; /* borrowed */
};

static PyTypeObject ClipType = {PyVarObject_HEAD_INIT(nullptr, 0) "_clipbank.Clip", sizeof(Clip)};
static PyTypeObject BankType = {PyVarObject_HEAD_INIT(nullptr, 0) "_clipbank.Bank", sizeof(Bank)};

#define CLIP_ENTER(self, op)                                                        \
    Clip *self = reinterpret_cast<Clip *>(op);                                      \
    if (!self->valid) {                                                             \
        PyErr_SetString(PyExc_ReferenceError, "the bank of the clip was unloaded"); \
        return nullptr;                                                             \
    }

static PyObject *Clip_Make(Bank *bank, snd_clip *handle)
{
    Clip *clip = PyObject_New(Clip, &ClipType);
    if (!clip)
        return nullptr;
    Py_INCREF(bank);
    clip->bank = bank;
    clip->handle = handle;
    clip->valid = true;
    bank->clips->push_back(clip);
    return reinterpret_cast<PyObject *>(clip);
}

static void Clip_Dealloc(PyObject *op)
{
    Clip *self = reinterpret_cast<Clip *>(op);
    std::vector<Clip *> &clips = *self->bank->clips;
    clips.erase(std::remove(clips.begin(), clips.end(), self), clips.end());
    Py_DECREF(self->bank);
    PyObject_Free(op);
}

static PyObject *Clip_Play(PyObject *op, PyObject *)
{
    CLIP_ENTER(self, op)
    return PyBool_FromLong(snd_clip_play(self->handle));
}

static PyObject *Clip_Reversed(PyObject *op, PyObject *)
{
    Clip *self = reinterpret_cast<Clip *>(op);
    snd_clip *copy = snd_clip_copy(self->bank->handle, self->handle);
    if (!copy)
        return PyErr_NoMemory();
    snd_clip_reverse(copy);
    return Clip_Make(self->bank, copy);
}

static PyObject *Bank_New(PyTypeObject *type, PyObject *args, PyObject *)
{
    const char *path;
    if (!PyArg_ParseTuple(args, "s", &path))
        return nullptr;
    Bank *self = reinterpret_cast<Bank *>(type->tp_alloc(type, 0));
    if (!self)
        return nullptr;
    self->clips = new std::vector<Clip *>();
    self->handle = snd_bank_load(path);
    if (!self->handle) {
        Py_DECREF(self);
        return PyErr_Format(PyExc_OSError, "cannot load bank %s", path);
    }
    return reinterpret_cast<PyObject *>(self);
}

static PyObject *Bank_Clip(PyObject *op, PyObject *args)
{
    Bank *self = reinterpret_cast<Bank *>(op);
    const char *name;
    if (!PyArg_ParseTuple(args, "s", &name))
        return nullptr;
    snd_clip *clip = self->handle ? snd_bank_clip(self->handle, name) : nullptr;
    if (!clip)
        return PyErr_Format(PyExc_KeyError, "%s", name);
    return Clip_Make(self, clip);
}

static PyObject *Bank_Unload(PyObject *op, PyObject *)
{
    Bank *self = reinterpret_cast<Bank *>(op);
    for (Clip *clip : *self->clips)
        clip->valid = false;
    self->clips->clear();
    snd_bank_unload(self->handle);
    self->handle = nullptr;
    Py_RETURN_NONE;
}

static void Bank_Dealloc(PyObject *op)
{
    Bank *self = reinterpret_cast<Bank *>(op);
    snd_bank_unload(self->handle);
    delete self->clips;
    Py_TYPE(op)->tp_free(op);
}

static PyMethodDef clip_methods[] = {{"play", Clip_Play, METH_NOARGS, nullptr},
                                     {"reversed", Clip_Reversed, METH_NOARGS, nullptr},
                                     {}};
static PyMethodDef bank_methods[] = {{"clip", Bank_Clip, METH_VARARGS, nullptr},
                                     {"unload", Bank_Unload, METH_NOARGS, nullptr},
                                     {}};
static PyModuleDef clipbank = {PyModuleDef_HEAD_INIT, "_clipbank", nullptr, -1, nullptr};

PyMODINIT_FUNC PyInit__clipbank()
{
    ClipType.tp_dealloc = Clip_Dealloc;
    ClipType.tp_methods = clip_methods;
    ClipType.tp_flags = BankType.tp_flags = Py_TPFLAGS_DEFAULT;
    BankType.tp_new = Bank_New;
    BankType.tp_dealloc = Bank_Dealloc;
    BankType.tp_methods = bank_methods;
    if (PyType_Ready(&ClipType) < 0 || PyType_Ready(&BankType) < 0)
        return nullptr;
    PyObject *module = PyModule_Create(&clipbank);
    if (module && PyModule_AddType(module, &BankType) < 0)
        Py_CLEAR(module);
    return module;
}

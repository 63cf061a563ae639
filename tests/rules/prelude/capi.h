// What extensions in C are written with: just enough of Python.h to be compiled.
#pragma once

typedef long Py_ssize_t;
struct _typeobject;
struct _object { Py_ssize_t ob_refcnt; _typeobject* ob_type; };
typedef _object PyObject;
struct Py_buffer { void* buf; PyObject* obj; Py_ssize_t len; };
int PyObject_GetBuffer(PyObject*, Py_buffer*, int);
void PyBuffer_Release(Py_buffer*);
#define PyBUF_SIMPLE 0
typedef _typeobject PyTypeObject;
#define PyObject_HEAD PyObject ob_base;
#define PyVarObject_HEAD_INIT(type, size)
#ifndef NULL
#define NULL 0
#endif
#define PyMODINIT_FUNC extern "C" PyObject*

typedef PyObject* (*PyCFunction)(PyObject*, PyObject*);
typedef PyObject* (*getter)(PyObject*, void*);
typedef int (*setter)(PyObject*, PyObject*, void*);
typedef PyObject* (*reprfunc)(PyObject*);
typedef PyObject* (*binaryfunc)(PyObject*, PyObject*);
typedef PyObject* (*richcmpfunc)(PyObject*, PyObject*, int);
struct PyMethodDef { const char* ml_name; PyCFunction ml_meth; int ml_flags; const char* ml_doc; };
struct PyGetSetDef { const char* name; getter get; setter set; const char* doc; void* closure; };
struct PyNumberMethods { binaryfunc nb_add; binaryfunc nb_subtract; };
struct PyType_Slot { int slot; void* pfunc; };
struct PyModuleDef { const char* m_name; };
struct _typeobject {
  const char* tp_name;
  reprfunc tp_repr;
  richcmpfunc tp_richcompare;
  PyObject* (*tp_iter)(PyObject*);
  PyObject* (*tp_alloc)(PyTypeObject*, Py_ssize_t);
};
#define METH_VARARGS 1
#define METH_NOARGS 4
#define METH_O 8
#define Py_tp_repr 66
#define Py_tp_iter 62
#define Py_EQ 2

extern "C" {
extern PyObject _Py_NoneStruct, _Py_TrueStruct, _Py_FalseStruct, _Py_NotImplementedStruct;
extern PyObject *PyExc_KeyError, *PyExc_ValueError, *PyExc_TypeError;
void Py_INCREF(PyObject*);
void Py_XINCREF(PyObject*);
void Py_DECREF(PyObject*);
void Py_XDECREF(PyObject*);
PyObject* Py_NewRef(PyObject*);
PyObject* Py_XNewRef(PyObject*);
PyObject* PyList_New(Py_ssize_t);
Py_ssize_t PyList_Size(PyObject*);
PyObject* PyList_GetItem(PyObject*, Py_ssize_t);
PyObject* PyList_GetItemRef(PyObject*, Py_ssize_t);
PyObject* PyList_GET_ITEM(PyObject*, Py_ssize_t);
int PyList_SetItem(PyObject*, Py_ssize_t, PyObject*);
void PyList_SET_ITEM(PyObject*, Py_ssize_t, PyObject*);
int PyList_Append(PyObject*, PyObject*);
int PyList_Insert(PyObject*, Py_ssize_t, PyObject*);
PyObject* PyTuple_New(Py_ssize_t);
PyObject* PyTuple_Pack(Py_ssize_t, ...);
Py_ssize_t PyTuple_Size(PyObject*);
PyObject* PyTuple_GetItem(PyObject*, Py_ssize_t);
PyObject* PyTuple_GET_ITEM(PyObject*, Py_ssize_t);
int PyTuple_SetItem(PyObject*, Py_ssize_t, PyObject*);
void PyTuple_SET_ITEM(PyObject*, Py_ssize_t, PyObject*);
PyObject* PyDict_New();
PyObject* PyDict_GetItem(PyObject*, PyObject*);
PyObject* PyDict_GetItemString(PyObject*, const char*);
int PyDict_GetItemRef(PyObject*, PyObject*, PyObject**);
int PyDict_SetItem(PyObject*, PyObject*, PyObject*);
int PyDict_DelItem(PyObject*, PyObject*);
void PyDict_Clear(PyObject*);
int PyList_SetSlice(PyObject*, Py_ssize_t, Py_ssize_t, PyObject*);
Py_ssize_t PyList_GET_SIZE(PyObject*);
Py_ssize_t PyObject_Size(PyObject*);
int PyDict_SetItemString(PyObject*, const char*, PyObject*);
int PyDict_Next(PyObject*, Py_ssize_t*, PyObject**, PyObject**);
PyObject* PySet_New(PyObject*);
int PySet_Add(PyObject*, PyObject*);
PyObject* PyLong_FromLong(long);
PyObject* PyFloat_FromDouble(double);
PyObject* PyBool_FromLong(long);
PyObject* PyUnicode_FromString(const char*);
PyObject* PyUnicode_FromFormat(const char*, ...);
PyObject* PyUnicode_Concat(PyObject*, PyObject*);
const char* PyUnicode_AsUTF8(PyObject*);
PyObject* PyUnicode_AsUTF8String(PyObject*);
PyObject* PyBytes_FromString(const char*);
char* PyBytes_AsString(PyObject*);
PyObject* PyObject_Str(PyObject*);
PyObject* PyObject_Repr(PyObject*);
PyObject* PyObject_GetAttr(PyObject*, PyObject*);
PyObject* PyObject_GetAttrString(PyObject*, const char*);
int PyObject_HasAttrString(PyObject*, const char*);
int PyObject_SetAttrString(PyObject*, const char*, PyObject*);
PyObject* PyObject_GetIter(PyObject*);
PyObject* PyIter_Next(PyObject*);
PyObject* PyObject_CallObject(PyObject*, PyObject*);
PyObject* PyObject_CallMethod(PyObject*, const char*, const char*, ...);
PyObject* PyObject_CallFunctionObjArgs(PyObject*, ...);
PyObject* PySequence_GetItem(PyObject*, Py_ssize_t);
PyObject* PySequence_Fast(PyObject*, const char*);
int PyObject_IsTrue(PyObject*);
PyObject* Py_BuildValue(const char*, ...);
int PyArg_ParseTuple(PyObject*, const char*, ...);
PyObject* PyImport_ImportModule(const char*);
PyObject* PyImport_AddModule(const char*);
PyObject* PyModule_Create(PyModuleDef*);
PyObject* PyModule_GetDict(PyObject*);
int PyModule_AddObject(PyObject*, const char*, PyObject*);
int PyModule_AddObjectRef(PyObject*, const char*, PyObject*);
PyObject* PyErr_Occurred();
void PyErr_Clear();
void PyErr_SetObject(PyObject*, PyObject*);
void PyErr_SetString(PyObject*, const char*);
PyObject* PyErr_Format(PyObject*, const char*, ...);
void PyErr_Fetch(PyObject**, PyObject**, PyObject**);
void PyErr_Restore(PyObject*, PyObject*, PyObject*);
PyObject* PyWeakref_NewRef(PyObject*, PyObject*);
PyObject* PyWeakref_GetObject(PyObject*);
PyObject* PyNumber_Add(PyObject*, PyObject*);
PyObject* PyErr_NewException(const char*, PyObject*, PyObject*);
PyObject* PyDict_Copy(PyObject*);
PyObject* PySequence_List(PyObject*);
int PyBytes_AsStringAndSize(PyObject*, char**, Py_ssize_t*);
int PyTuple_Check(PyObject*);
Py_ssize_t PyUnicode_GET_LENGTH(PyObject*);
Py_ssize_t PyTuple_GET_SIZE(PyObject*);
long PyLong_AsLong(PyObject*);
int PyIter_NextItem(PyObject*, PyObject**);
PyObject* PyObject_CallOneArg(PyObject*, PyObject*);
char* strdup(const char*);
void puts(const char*);
}
#define Py_None (&_Py_NoneStruct)
#define Py_True (&_Py_TrueStruct)
#define Py_False (&_Py_FalseStruct)
#define Py_NotImplemented (&_Py_NotImplementedStruct)
#define Py_RETURN_NONE return Py_NewRef(Py_None)
#define Py_CLEAR(op) do { PyObject* _tmp = (PyObject*)(op); (op) = NULL; Py_XDECREF(_tmp); } while (0)
#define Py_SETREF(dst, src) do { PyObject* _tmp = (dst); (dst) = (src); Py_DECREF(_tmp); } while (0)
#define Py_XSETREF(dst, src) do { PyObject* _tmp = (dst); (dst) = (src); Py_DECREF(_tmp); } while (0)

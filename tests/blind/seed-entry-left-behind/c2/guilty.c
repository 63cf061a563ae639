/* workbookmodule.c - sheets of the calc engine. One wrapper per sheet. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct calc_book calc_book;
typedef struct calc_sheet calc_sheet;
calc_book *calc_book_new(void);
void calc_book_free(calc_book *book); /* with its sheets */
calc_sheet *calc_book_add(calc_book *book, const char *title);
calc_sheet *calc_book_lookup(calc_book *book, const char *title);
void calc_book_remove(calc_book *book, calc_sheet *sheet); /* frees the sheet */
double calc_sheet_get(const calc_sheet *sheet, int row, int col);

typedef struct {
    PyObject_HEAD
    calc_sheet *sheet; /* NULL when the sheet is gone */
} SheetObject;

typedef struct {
    PyObject_HEAD
    calc_book *book;
    PyObject *sheets; /* dict: address of calc_sheet -> SheetObject */
} BookObject;

static PyTypeObject SheetType = {PyVarObject_HEAD_INIT(NULL, 0) "_workbook.Sheet", sizeof(SheetObject)};
static PyTypeObject BookType = {PyVarObject_HEAD_INIT(NULL, 0) "_workbook.Book", sizeof(BookObject)};

static PyObject *sheet_cell(PyObject *op, PyObject *args)
{
    SheetObject *self = (SheetObject *)op;
    int row, col;
    if (!PyArg_ParseTuple(args, "ii", &row, &col))
        return NULL;
    if (self->sheet == NULL)
        return PyErr_Format(PyExc_ReferenceError, "the sheet was removed");
    return PyFloat_FromDouble(calc_sheet_get(self->sheet, row, col));
}

static PyObject *wrap_sheet(BookObject *book, calc_sheet *sheet)
{
    PyObject *key = PyLong_FromVoidPtr(sheet);
    if (key == NULL)
        return NULL;
    PyObject *known = PyDict_GetItemWithError(book->sheets, key);
    if (known != NULL || PyErr_Occurred()) {
        Py_XINCREF(known);
        Py_DECREF(key);
        return known;
    }
    SheetObject *fresh = PyObject_New(SheetObject, &SheetType);
    if (fresh != NULL) {
        fresh->sheet = sheet;
        if (PyDict_SetItem(book->sheets, key, (PyObject *)fresh) < 0)
            Py_CLEAR(fresh);
    }
    Py_DECREF(key);
    return (PyObject *)fresh;
}

static PyObject *book_add(PyObject *op, PyObject *args)
{
    BookObject *self = (BookObject *)op;
    const char *title;
    if (!PyArg_ParseTuple(args, "s", &title))
        return NULL;
    calc_sheet *sheet = calc_book_add(self->book, title);
    return sheet != NULL ? wrap_sheet(self, sheet) : PyErr_NoMemory();
}

static calc_sheet *named_sheet(BookObject *self, PyObject *args)
{
    const char *title;
    if (!PyArg_ParseTuple(args, "s", &title))
        return NULL;
    calc_sheet *sheet = calc_book_lookup(self->book, title);
    if (sheet == NULL)
        PyErr_SetString(PyExc_KeyError, title);
    return sheet;
}

static PyObject *book_sheet(PyObject *op, PyObject *args)
{
    BookObject *self = (BookObject *)op;
    calc_sheet *sheet = named_sheet(self, args);
    return sheet != NULL ? wrap_sheet(self, sheet) : NULL;
}

static PyObject *book_remove(PyObject *op, PyObject *args)
{
    BookObject *self = (BookObject *)op;
    calc_sheet *sheet = named_sheet(self, args);
    if (sheet == NULL)
        return NULL;
    SheetObject *wrapper = (SheetObject *)wrap_sheet(self, sheet);
    if (wrapper == NULL)
        return NULL;
    calc_book_remove(self->book, sheet);
    wrapper->sheet = NULL;
    Py_DECREF(wrapper);
    Py_RETURN_NONE;
}

static PyObject *book_new(PyTypeObject *type, PyObject *args, PyObject *kwds)
{
    BookObject *self = (BookObject *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->sheets = PyDict_New();
    self->book = self->sheets != NULL ? calc_book_new() : NULL;
    if (self->book == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void book_dealloc(PyObject *op)
{
    BookObject *self = (BookObject *)op;
    PyObject *key, *value;
    Py_ssize_t pos = 0;
    while (self->sheets != NULL && PyDict_Next(self->sheets, &pos, &key, &value))
        ((SheetObject *)value)->sheet = NULL;
    Py_CLEAR(self->sheets);
    if (self->book != NULL)
        calc_book_free(self->book);
    Py_TYPE(op)->tp_free(op);
}

static PyMethodDef sheet_methods[] = {{"cell", sheet_cell, METH_VARARGS, NULL}, {NULL}};
static PyMethodDef book_methods[] = {{"add", book_add, METH_VARARGS, NULL},
                                     {"sheet", book_sheet, METH_VARARGS, NULL},
                                     {"remove", book_remove, METH_VARARGS, NULL},
                                     {NULL}};
static PyModuleDef workbook_module = {PyModuleDef_HEAD_INIT, "_workbook", NULL, -1};

PyMODINIT_FUNC PyInit__workbook(void)
{
    SheetType.tp_methods = sheet_methods;
    BookType.tp_methods = book_methods;
    SheetType.tp_flags = BookType.tp_flags = Py_TPFLAGS_DEFAULT;
    BookType.tp_new = book_new;
    BookType.tp_dealloc = book_dealloc;
    if (PyType_Ready(&SheetType) < 0 || PyType_Ready(&BookType) < 0)
        return NULL;
    PyObject *module = PyModule_Create(&workbook_module);
    if (module != NULL && PyModule_AddObjectRef(module, "Book", (PyObject *)&BookType) < 0)
        Py_CLEAR(module);
    return module;
}

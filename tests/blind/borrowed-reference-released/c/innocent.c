/* Layer styling for the tile renderer. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    double width;
    long rgb;
} stroke_t;

/* The value of a style key, or the theme's value when the layer has none. */
static PyObject *
style_value(PyObject *style, PyObject *theme, const char *key)
{
    PyObject *value = PyDict_GetItemString(style, key);
    if (value == NULL)
        value = PyDict_GetItemString(theme, key);
    if (value == NULL)
        PyErr_Format(PyExc_KeyError, "no style value for '%s'", key);
    return value;
}

static int
read_stroke(PyObject *width, PyObject *rgb, stroke_t *out)
{
    if (!PyFloat_Check(width) || !PyLong_Check(rgb)) {
        PyErr_SetString(PyExc_TypeError, "width is a float, rgb an integer");
        return -1;
    }
    out->width = PyFloat_AsDouble(width);
    if (out->width == -1.0 && PyErr_Occurred())
        return -1;
    out->rgb = PyLong_AsLong(rgb);
    if (out->rgb == -1 && PyErr_Occurred())
        return -1;
    return 0;
}

static PyObject *
map_layer_style(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *style, *theme;
    stroke_t stroke;

    if (!PyArg_ParseTuple(args, "O!O!:layer_style", &PyDict_Type, &style,
                          &PyDict_Type, &theme))
        return NULL;

    PyObject *width = style_value(style, theme, "width");
    if (width == NULL)
        return NULL;
    PyObject *rgb = style_value(style, theme, "rgb");
    if (rgb == NULL) {
        return NULL;
    }
    if (read_stroke(width, rgb, &stroke) < 0)
        return NULL;
    return Py_BuildValue("(dl)", stroke.width, stroke.rgb);
}

static PyMethodDef map_methods[] = {
    {"layer_style", map_layer_style, METH_VARARGS,
     "Stroke width and colour of a layer."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef map_module = {
    PyModuleDef_HEAD_INIT, "_maps", NULL, -1, map_methods,
};

PyMODINIT_FUNC
PyInit__maps(void)
{
    return PyModule_Create(&map_module);
}

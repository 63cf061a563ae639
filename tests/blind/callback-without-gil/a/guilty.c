#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pcap/pcap.h>

struct sniff {
    pcap_t *handle;
    PyObject *sink;
    int failed;
};

static void on_packet(u_char *user, const struct pcap_pkthdr *header, const u_char *bytes)
{
    struct sniff *s = (struct sniff *)user;
    PyObject *data = PyBytes_FromStringAndSize((const char *)bytes, header->caplen);
    PyObject *result = NULL;
    if (data != NULL)
        result = PyObject_CallFunction(s->sink, "Od", data, header->ts.tv_sec + header->ts.tv_usec * 1e-6);
    Py_XDECREF(data);
    if (result == NULL) {
        s->failed = 1;
        pcap_breakloop(s->handle);
    }
    Py_XDECREF(result);
}

static PyObject *sniff_file(PyObject *module, PyObject *args)
{
    char error[PCAP_ERRBUF_SIZE];
    const char *path;
    struct sniff s = {NULL, NULL, 0};
    int rc;

    if (!PyArg_ParseTuple(args, "sO:sniff_file", &path, &s.sink))
        return NULL;
    s.handle = pcap_open_offline(path, error);
    if (s.handle == NULL)
        return PyErr_Format(PyExc_OSError, "%s: %s", path, error);

    Py_BEGIN_ALLOW_THREADS
    rc = pcap_loop(s.handle, -1, on_packet, (u_char *)&s);
    Py_END_ALLOW_THREADS

    if (rc == PCAP_ERROR && !s.failed)
        PyErr_SetString(PyExc_OSError, pcap_geterr(s.handle));
    pcap_close(s.handle);
    if (rc == PCAP_ERROR || s.failed)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"sniff_file", sniff_file, METH_VARARGS, "Call sink(data, time) for each packet of a capture."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "_sniff", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__sniff(void) { return PyModuleDef_Init(&def); }

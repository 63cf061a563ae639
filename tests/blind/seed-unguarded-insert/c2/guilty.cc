/* synthmodule.cc - the _synth extension: notes of the ae audio engine. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cassert>
#include <map>

extern "C" {
struct ae_engine;
struct ae_voice;
ae_engine *ae_engine_new(int sample_rate);
void ae_engine_free(ae_engine *engine);
/* Starts a note; when all voices are busy the oldest one is freed. */
ae_voice *ae_note_on(ae_engine *engine, int key, float velocity);
ae_voice *ae_voice_for_key(ae_engine *engine, int key);
/* Serial of the note played by this voice, 0 if there is no such voice. */
unsigned long ae_voice_serial(ae_engine *engine, const ae_voice *voice);
void ae_voice_set_gain(ae_voice *voice, float gain);
}

struct voice_object {
    PyObject_HEAD
    ae_voice *voice; /* NULL once the engine was closed */
    unsigned long serial;
};

static PyTypeObject voice_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
static ae_engine *g_engine;
static std::map<ae_voice *, voice_object *> g_voices;

static PyObject *voice_wrap(ae_voice *v)
{
    voice_object *self = PyObject_New(voice_object, &voice_type);
    if (self == nullptr)
        return nullptr;
    self->voice = v;
    self->serial = ae_voice_serial(g_engine, v);
    auto slot = g_voices.emplace(v, self);
    assert(slot.second);
    (void)slot;
    return reinterpret_cast<PyObject *>(self);
}

static void voice_dealloc(PyObject *obj)
{
    voice_object *self = reinterpret_cast<voice_object *>(obj);
    auto it = g_voices.find(self->voice);
    if (it != g_voices.end() && it->second == self)
        g_voices.erase(it);
    PyObject_Free(obj);
}

static PyObject *voice_set_gain(PyObject *obj, PyObject *args)
{
    voice_object *self = reinterpret_cast<voice_object *>(obj);
    float gain;
    if (!PyArg_ParseTuple(args, "f", &gain))
        return nullptr;
    if (self->voice == nullptr || ae_voice_serial(g_engine, self->voice) != self->serial) {
        PyErr_SetString(PyExc_RuntimeError, "the note has ended");
        return nullptr;
    }
    ae_voice_set_gain(self->voice, gain);
    Py_RETURN_NONE;
}

static int engine_ready(void)
{
    if (g_engine == nullptr)
        g_engine = ae_engine_new(48000);
    if (g_engine == nullptr)
        PyErr_SetString(PyExc_OSError, "no audio device");
    return g_engine != nullptr;
}

static PyObject *synth_note_on(PyObject *, PyObject *args)
{
    int key;
    float velocity = 0.8f;
    if (!PyArg_ParseTuple(args, "i|f", &key, &velocity) || !engine_ready())
        return nullptr;
    ae_voice *v = ae_note_on(g_engine, key, velocity);
    if (v == nullptr)
        return PyErr_NoMemory();
    return voice_wrap(v);
}

static PyObject *synth_playing(PyObject *, PyObject *args)
{
    int key;
    if (!PyArg_ParseTuple(args, "i", &key) || !engine_ready())
        return nullptr;
    ae_voice *v = ae_voice_for_key(g_engine, key);
    if (v == nullptr)
        Py_RETURN_NONE;
    auto it = g_voices.find(v);
    if (it != g_voices.end() && it->second->serial == ae_voice_serial(g_engine, v)) {
        PyObject *known = reinterpret_cast<PyObject *>(it->second);
        Py_INCREF(known);
        return known;
    }
    return voice_wrap(v);
}

static PyObject *synth_close(PyObject *, PyObject *)
{
    for (auto &entry : g_voices)
        entry.second->voice = nullptr;
    g_voices.clear();
    if (g_engine != nullptr)
        ae_engine_free(g_engine);
    g_engine = nullptr;
    Py_RETURN_NONE;
}

static PyMethodDef voice_methods[] = {
    {"set_gain", voice_set_gain, METH_VARARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

static PyMethodDef synth_methods[] = {{"note_on", synth_note_on, METH_VARARGS, nullptr},
                                      {"playing", synth_playing, METH_VARARGS, nullptr},
                                      {"close", synth_close, METH_NOARGS, nullptr},
                                      {nullptr, nullptr, 0, nullptr}};

static PyModuleDef synth_module = {PyModuleDef_HEAD_INIT, "_synth", nullptr, -1, synth_methods};

PyMODINIT_FUNC PyInit__synth(void)
{
    voice_type.tp_name = "_synth.Voice";
    voice_type.tp_basicsize = sizeof(voice_object);
    voice_type.tp_flags = Py_TPFLAGS_DEFAULT;
    voice_type.tp_dealloc = voice_dealloc;
    voice_type.tp_methods = voice_methods;
    if (PyType_Ready(&voice_type) < 0)
        return nullptr;
    return PyModule_Create(&synth_module);
}

#include <Python.h>

#include <string>
#include <vector>

// Playlist bindings: each native Song has at most one Python object.
struct Song {
  std::string title;
  double seconds = 0.0;
};

struct SongObject {
  PyObject_HEAD
  Song* song;
};

struct PlaylistObject {
  PyObject_HEAD
  std::vector<Song*>* songs;
};

static PyObject* g_live = nullptr;  // {address: SongObject}

static void SongDealloc(PyObject* self) { PyObject_Free(self); }

static PyObject* SongTitle(PyObject* self, PyObject*) {
  Song* song = reinterpret_cast<SongObject*>(self)->song;
  if (!song) {
    PyErr_SetString(PyExc_ReferenceError, "song was removed");
    return nullptr;
  }
  return PyUnicode_FromString(song->title.c_str());
}

static PyMethodDef kSongMethods[] = {
    {"title", SongTitle, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

static PyTypeObject SongType = {PyVarObject_HEAD_INIT(nullptr, 0) "playlist.Song"};

static PyObject* WrapSong(Song* song) {
  PyObject* key = PyLong_FromVoidPtr(song);
  if (!key) return nullptr;
  PyObject* found = PyDict_GetItemWithError(g_live, key);
  if (found || PyErr_Occurred()) {
    Py_DECREF(key);
    return Py_XNewRef(found);
  }
  SongObject* fresh = PyObject_New(SongObject, &SongType);
  if (fresh) {
    fresh->song = song;
    if (PyDict_SetItem(g_live, key, reinterpret_cast<PyObject*>(fresh)) < 0) Py_CLEAR(fresh);
  }
  Py_DECREF(key);
  return reinterpret_cast<PyObject*>(fresh);
}

static int DetachSong(Song* song) {
  PyObject* key = PyLong_FromVoidPtr(song);
  if (!key) return -1;
  PyObject* found = PyDict_GetItemWithError(g_live, key);
  if (found) {
    reinterpret_cast<SongObject*>(found)->song = nullptr;
    if (PyDict_DelItem(g_live, key) < 0) {
      Py_DECREF(key);
      return -1;
    }
  }
  Py_DECREF(key);
  return PyErr_Occurred() ? -1 : 0;
}

static PyObject* PlaylistAppend(PyObject* self, PyObject* args) {
  const char* title;
  double seconds;
  if (!PyArg_ParseTuple(args, "sd", &title, &seconds)) return nullptr;
  auto* list = reinterpret_cast<PlaylistObject*>(self)->songs;
  list->push_back(new Song{title, seconds});
  return WrapSong(list->back());
}

static PyObject* PlaylistPop(PyObject* self, PyObject*) {
  auto* list = reinterpret_cast<PlaylistObject*>(self)->songs;
  if (list->empty()) {
    PyErr_SetString(PyExc_IndexError, "empty playlist");
    return nullptr;
  }
  Song* song = list->back();
  if (DetachSong(song) < 0) return nullptr;
  list->pop_back();
  delete song;
  Py_RETURN_NONE;
}

static PyMethodDef kPlaylistMethods[] = {
    {"append", PlaylistAppend, METH_VARARGS, nullptr},
    {"pop", PlaylistPop, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

int InitTypes() {
  SongType.tp_basicsize = sizeof(SongObject);
  SongType.tp_dealloc = SongDealloc;
  SongType.tp_methods = kSongMethods;
  g_live = PyDict_New();
  return g_live ? PyType_Ready(&SongType) : -1;
}

PyMethodDef* PlaylistMethods() { return kPlaylistMethods; }

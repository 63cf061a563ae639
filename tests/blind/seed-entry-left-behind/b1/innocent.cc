// _net: sessions of the native server loop, seen from Python.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <unordered_map>

extern "C" {
typedef struct net_server net_server;
typedef struct net_session net_session;
net_server *net_server_listen(int port);
net_session *net_server_poll(net_server *server);  // the session with news, or NULL
const char *net_session_peer(const net_session *session);
int net_session_send(net_session *session, const char *data, size_t size);
void net_session_free(net_session *session);
}

struct SessionObject {
  PyObject_HEAD
  net_session *session;
  PyObject *state;  // whatever the handler keeps about the peer
};

struct ServerObject {
  PyObject_HEAD
  net_server *server;
};

static PyTypeObject SessionType = {PyVarObject_HEAD_INIT(nullptr, 0)};
static PyTypeObject ServerType = {PyVarObject_HEAD_INIT(nullptr, 0)};

static std::unordered_map<net_session *, SessionObject *> &liveSessions() {
  static auto *map = new std::unordered_map<net_session *, SessionObject *>();
  return *map;
}

static SessionObject *sessionFor(net_session *session) {
  auto it = liveSessions().find(session);
  if (it != liveSessions().end()) {
    Py_INCREF(it->second);
    return it->second;
  }
  auto *self = PyObject_New(SessionObject, &SessionType);
  if (!self)
    return nullptr;
  self->session = session;
  self->state = Py_NewRef(Py_None);
  liveSessions()[session] = self;
  return self;
}

static bool checkValid(const SessionObject *self) {
  if (!self->session)
    PyErr_SetString(PyExc_ConnectionError, "session is closed");
  return self->session != nullptr;
}

static PyObject *Session_send(SessionObject *self, PyObject *arg) {
  char *data;
  Py_ssize_t size;
  if (!checkValid(self) || PyBytes_AsStringAndSize(arg, &data, &size) < 0)
    return nullptr;
  return PyLong_FromLong(net_session_send(self->session, data, size));
}

static PyObject *Session_close(SessionObject *self, PyObject *) {
  if (!self->session)
    Py_RETURN_NONE;
  liveSessions().erase(self->session);
  net_session_free(self->session);
  self->session = nullptr;
  Py_RETURN_NONE;
}

static void Session_dealloc(SessionObject *self) {
  if (self->session) {
    liveSessions().erase(self->session);
    net_session_free(self->session);
  }
  Py_DECREF(self->state);
  PyObject_Free(self);
}

static PyObject *Session_peer(SessionObject *self, void *) {
  return checkValid(self) ? PyUnicode_FromString(net_session_peer(self->session)) : nullptr;
}

static PyObject *Server_poll(ServerObject *self, PyObject *) {
  net_session *session = net_server_poll(self->server);
  if (!session)
    Py_RETURN_NONE;
  return reinterpret_cast<PyObject *>(sessionFor(session));
}

static PyObject *Server_new(PyTypeObject *type, PyObject *args, PyObject *) {
  int port;
  if (!PyArg_ParseTuple(args, "i", &port))
    return nullptr;
  auto *self = reinterpret_cast<ServerObject *>(type->tp_alloc(type, 0));
  if (self)
    self->server = net_server_listen(port);
  return reinterpret_cast<PyObject *>(self);
}

static PyMethodDef Session_methods[] = {{"send", (PyCFunction)Session_send, METH_O},
                                        {"close", (PyCFunction)Session_close, METH_NOARGS}, {}};
static PyMethodDef Server_methods[] = {{"poll", (PyCFunction)Server_poll, METH_NOARGS}, {}};
static PyGetSetDef Session_getset[] = {{"peer", (getter)Session_peer}, {}};

int initTypes() {
  SessionType.tp_name = "_net.Session", SessionType.tp_basicsize = sizeof(SessionObject);
  SessionType.tp_dealloc = (destructor)Session_dealloc;
  SessionType.tp_methods = Session_methods, SessionType.tp_getset = Session_getset;
  ServerType.tp_name = "_net.Server", ServerType.tp_basicsize = sizeof(ServerObject);
  ServerType.tp_new = Server_new, ServerType.tp_methods = Server_methods;
  return PyType_Ready(&SessionType) < 0 ? -1 : PyType_Ready(&ServerType);
}

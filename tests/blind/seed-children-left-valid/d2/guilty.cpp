// Boost.Python module of the h2 client: one connection, many streams.
#include <boost/noncopyable.hpp>
#include <boost/python.hpp>
#include <boost/shared_ptr.hpp>
#include <boost/enable_shared_from_this.hpp>

#include <set>
#include <string>

namespace bp = boost::python;

namespace h2 {

// The transport; provided by libh2client.
struct stream_t;
struct conn_t;
conn_t* connect(const std::string& authority);  // null on failure
void disconnect(conn_t* conn);                  // frees the conn and its streams
stream_t* open_stream(conn_t* conn, const std::string& path);
void close_stream(stream_t* stream);            // frees the stream
std::string read_body(stream_t* stream);
int status_code(const stream_t* stream);

}  // namespace h2

namespace {

void raise(PyObject* type, const char* text) {
  PyErr_SetString(type, text);
  bp::throw_error_already_set();
}

class NativeBacked : boost::noncopyable {
 public:
  virtual ~NativeBacked() {}
  bool valid() const { return m_valid; }

 protected:
  NativeBacked() : m_valid(true) {}
  void checkValid() const {
    if (!m_valid) raise(PyExc_RuntimeError, "object is no longer connected");
  }
  void setValid(bool valid) { m_valid = valid; }

 private:
  bool m_valid;
};

class Connection;
typedef boost::shared_ptr<Connection> ConnectionPtr;

class Stream : public NativeBacked {
 public:
  Stream(const ConnectionPtr& connection, h2::stream_t* native);
  ~Stream();

  int status() const {
    checkValid();
    return h2::status_code(m_native);
  }
  std::string body() {
    checkValid();
    return h2::read_body(m_native);
  }
  void orphan() {
    setValid(false);
    m_native = NULL;
  }

 private:
  ConnectionPtr m_connection;
  h2::stream_t* m_native;
};

class Connection : public NativeBacked, public boost::enable_shared_from_this<Connection> {
 public:
  explicit Connection(const std::string& authority)
      : m_authority(authority), m_conn(h2::connect(authority)) {
    if (m_conn == NULL) raise(PyExc_ConnectionError, "cannot connect");
  }
  ~Connection() { close(); }

  boost::shared_ptr<Stream> get(const std::string& path) {
    checkValid();
    h2::stream_t* native = h2::open_stream(m_conn, path);
    if (native == NULL) raise(PyExc_ConnectionError, "the peer refused the stream");
    return boost::shared_ptr<Stream>(new Stream(shared_from_this(), native));
  }

  void reconnect() {
    checkValid();
    h2::conn_t* fresh = h2::connect(m_authority);
    if (fresh == NULL) raise(PyExc_ConnectionError, "cannot reconnect");
    h2::disconnect(m_conn);
    m_conn = fresh;
  }

  void close() {
    if (!valid()) return;
    setValid(false);
    orphanStreams();
    h2::disconnect(m_conn);
    m_conn = NULL;
  }

  void enroll(Stream* stream) { m_streams.insert(stream); }
  void leave(Stream* stream) { m_streams.erase(stream); }

 private:
  void orphanStreams() {
    for (std::set<Stream*>::iterator it = m_streams.begin(); it != m_streams.end(); ++it)
      (*it)->orphan();
    m_streams.clear();
  }

  std::string m_authority;
  h2::conn_t* m_conn;
  std::set<Stream*> m_streams;
};

Stream::Stream(const ConnectionPtr& connection, h2::stream_t* native)
    : m_connection(connection), m_native(native) {
  m_connection->enroll(this);
}

Stream::~Stream() {
  m_connection->leave(this);
  if (valid()) h2::close_stream(m_native);
}

}  // namespace

BOOST_PYTHON_MODULE(_h2) {
  bp::class_<Stream, boost::shared_ptr<Stream>, boost::noncopyable>("Stream", bp::no_init)
      .add_property("status", &Stream::status)
      .def("body", &Stream::body);
  bp::class_<Connection, ConnectionPtr, boost::noncopyable>("Connection", bp::init<std::string>())
      .def("get", &Connection::get)
      .def("reconnect", &Connection::reconnect)
      .def("close", &Connection::close);
}

// Boost.Python module: multiplexed connections and their channels.
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/noncopyable.hpp>
#include <boost/python.hpp>

namespace bp = boost::python;

namespace net {

class Connection;

class Channel : boost::noncopyable {
public:
  Channel(Connection &connection, std::uint16_t id) : connection_(connection), id_(id) {}
  std::uint16_t id() const { return id_; }
  void send(const std::string &payload);

private:
  Connection &connection_;
  std::uint16_t id_;
};

class Connection : boost::noncopyable {
public:
  explicit Connection(std::string peer) : peer_(std::move(peer)) {}

  const std::string &peer() const { return peer_; }
  Channel *open() {
    const std::uint16_t id = nextId_++;
    return channels_.emplace(id, std::make_unique<Channel>(*this, id)).first->second.get();
  }
  Channel *channel(std::uint16_t id) const {
    auto it = channels_.find(id);
    return it == channels_.end() ? nullptr : it->second.get();
  }
  void enqueue(std::uint16_t id, const std::string &payload) { frames_.emplace_back(id, payload); }
  std::size_t pending() const { return frames_.size(); }

private:
  std::string peer_;
  std::uint16_t nextId_ = 1;
  std::map<std::uint16_t, std::unique_ptr<Channel>> channels_;
  std::deque<std::pair<std::uint16_t, std::string>> frames_;
};

void Channel::send(const std::string &payload) {
  if (payload.size() > 0xffff)
    throw std::length_error("payload too large for one frame");
  connection_.enqueue(id_, payload);
}

}  // namespace net

namespace {

std::string channelRepr(const net::Channel &channel) {
  return "Channel(" + std::to_string(channel.id()) + ")";
}

void exportChannel() {
  bp::class_<net::Channel, boost::noncopyable>("Channel", bp::no_init)
      .add_property("id", &net::Channel::id)
      .def("send", &net::Channel::send, bp::arg("payload"))
      .def("__repr__", &channelRepr);
}

void exportConnection() {
  using net::Connection;
  using ByPointer = bp::return_value_policy<bp::reference_existing_object>;

  bp::class_<Connection, boost::noncopyable>("Connection", bp::init<std::string>(bp::arg("peer")))
      .add_property("peer",
                    bp::make_function(&Connection::peer,
                                      bp::return_value_policy<bp::copy_const_reference>()))
      .add_property("pending", &Connection::pending)
      .def("open", &Connection::open, ByPointer())
      .def("channel", &Connection::channel, bp::arg("id"), bp::return_internal_reference<>());
}

}  // namespace

BOOST_PYTHON_MODULE(netmux) {
  exportChannel();
  exportConnection();
}

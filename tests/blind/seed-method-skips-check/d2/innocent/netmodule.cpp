#include <boost/noncopyable.hpp>
#include <boost/python.hpp>

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "guarded.h"

extern "C" {
struct net_loop;
struct net_peer;
net_loop *net_loop_new(void);
void net_loop_free(net_loop *loop);
net_peer *net_loop_connect(net_loop *loop, const char *host, int port);
/* Runs the loop; the callback is given each peer right before it is freed. */
int net_loop_run(net_loop *loop, int msec, void (*on_free)(net_peer *, void *), void *arg);
void net_peer_free(net_peer *peer); /* without the callback */
long net_peer_send(net_peer *peer, const void *data, unsigned long size);
unsigned long net_peer_backlog(const net_peer *peer);
}

namespace netpy {

class peer;

class loop : public std::enable_shared_from_this<loop> {
public:
    loop() : loop_(net_loop_new())
    {
        if (!loop_)
            throw std::bad_alloc();
    }
    ~loop() { net_loop_free(loop_); }

    std::shared_ptr<peer> connect(const std::string &host, int port);
    int run(int msec) { return net_loop_run(loop_, msec, &loop::on_free, this); }
    void add(peer *p) { peers_.push_back(p); }
    void remove(peer *p) { peers_.erase(std::find(peers_.begin(), peers_.end(), p)); }

private:
    static void on_free(net_peer *freed, void *self);

    net_loop *loop_;
    std::vector<peer *> peers_;
};

class peer : public guarded<net_peer> {
public:
    peer(std::shared_ptr<loop> owner, net_peer *handle)
        : guarded<net_peer>(handle, "peer"), owner_(std::move(owner))
    {
        owner_->add(this);
    }
    ~peer() { close(); }

    long send(const std::string &data)
    {
        check_valid();
        return net_peer_send(handle(), data.data(), data.size());
    }

    unsigned long backlog() const
    {
        check_valid();
        return net_peer_backlog(handle());
    }

    void close()
    {
        if (!is_valid())
            return;
        invalidate();
        owner_->remove(this);
        net_peer_free(handle());
    }

private:
    std::shared_ptr<loop> owner_;
};

std::shared_ptr<peer> loop::connect(const std::string &host, int port)
{
    net_peer *handle = net_loop_connect(loop_, host.c_str(), port);
    if (!handle)
        throw std::runtime_error("cannot connect to " + host);
    return std::make_shared<peer>(shared_from_this(), handle);
}

void loop::on_free(net_peer *freed, void *self)
{
    auto &peers = static_cast<loop *>(self)->peers_;
    auto found = std::find_if(peers.begin(), peers.end(),
                              [freed](const peer *p) { return p->refers_to(freed); });
    if (found == peers.end())
        return;
    (*found)->invalidate();
    peers.erase(found);
}

} // namespace netpy

BOOST_PYTHON_MODULE(_net)
{
    namespace bp = boost::python;
    using netpy::loop;
    using netpy::peer;

    bp::class_<peer, std::shared_ptr<peer>, boost::noncopyable>("Peer", bp::no_init)
        .add_property("backlog", &peer::backlog)
        .def("send", &peer::send)
        .def("close", &peer::close);
    bp::class_<loop, std::shared_ptr<loop>, boost::noncopyable>("Loop")
        .def("connect", &loop::connect)
        .def("run", &loop::run);
}

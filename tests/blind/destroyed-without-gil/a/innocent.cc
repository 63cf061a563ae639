#include <pybind11/pybind11.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace py = pybind11;

namespace feed {

class Subscription {
public:
    Subscription(std::string topic, py::function on_message)
        : topic_(std::move(topic)), on_message_(std::move(on_message))
    {
    }
    Subscription(const Subscription &) = delete;
    Subscription &operator=(const Subscription &) = delete;

    ~Subscription()
    {
        py::gil_scoped_acquire gil;
        PySys_WriteStderr("feed: left %.200s after %lu\n", topic_.c_str(), delivered_.load());
        on_message_ = py::function();
    }

    void deliver(std::string_view payload)
    {
        py::gil_scoped_acquire gil;
        try {
            on_message_(py::bytes(payload.data(), payload.size()));
            ++delivered_;
        } catch (py::error_already_set &e) {
            e.discard_as_unraisable("feed");
        }
    }

private:
    std::string topic_;
    py::function on_message_;
    std::atomic<unsigned long> delivered_{0};
};

// Called by the network thread, which never holds the GIL, and by Python.
class Router {
public:
    void add(const std::string &topic, std::shared_ptr<Subscription> s)
    {
        std::lock_guard<std::mutex> hold(mutex_);
        std::swap(routes_[topic], s);
    }

    void on_frame(const std::string &topic, std::string_view payload, bool last)
    {
        std::shared_ptr<Subscription> target;
        {
            std::lock_guard<std::mutex> hold(mutex_);
            auto it = routes_.find(topic);
            if (it == routes_.end())
                return;
            target = it->second;
            if (last)
                routes_.erase(it);
        }
        target->deliver(payload);
    }

private:
    std::mutex mutex_;
    std::unordered_map<std::string, std::shared_ptr<Subscription>> routes_;
};

} // namespace feed

#include <pybind11/pybind11.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace py = pybind11;

class Transcoder {
public:
    explicit Transcoder(py::function done) : done_(std::move(done)), worker_([this] { run(); }) {}

    ~Transcoder()
    {
        {
            std::lock_guard<std::mutex> hold(mutex_);
            stopping_ = true;
        }
        wake_.notify_one();
        py::gil_scoped_release nogil;
        worker_.join();
    }

    void submit(std::string path)
    {
        std::lock_guard<std::mutex> hold(mutex_);
        queue_.push_back(std::move(path));
        wake_.notify_one();
    }

    std::size_t backlog() const
    {
        std::lock_guard<std::mutex> hold(mutex_);
        return queue_.size();
    }

private:
    void run()
    {
        std::unique_lock<std::mutex> hold(mutex_);
        for (;;) {
            wake_.wait(hold, [this] { return stopping_ || !queue_.empty(); });
            if (queue_.empty())
                return;
            std::string path = std::move(queue_.front());
            queue_.pop_front();
            hold.unlock();
            path.replace(path.rfind('.') + 1, std::string::npos, "opus");
            {
                py::gil_scoped_acquire gil;
                try {
                    done_(path);
                } catch (py::error_already_set &e) {
                    e.discard_as_unraisable("transcoder");
                }
            }
            hold.lock();
        }
    }

    py::function done_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::string> queue_;
    bool stopping_ = false;
    std::thread worker_;
};

PYBIND11_MODULE(_transcode, m)
{
    py::class_<Transcoder>(m, "Transcoder")
        .def(py::init<py::function>(), py::arg("done"))
        .def("submit", &Transcoder::submit, py::arg("path"))
        .def_property_readonly("backlog", &Transcoder::backlog);
}

#include <pybind11/pybind11.h>

#include <uv.h>

#include <stdexcept>
#include <thread>
#include <utility>

namespace py = pybind11;

namespace {

struct Ticker {
    uv_loop_t loop;
    uv_timer_t timer;
    uv_async_t stop;
    std::thread thread;
    py::function listener;
    bool running = false;

    ~Ticker() { Stop(); }
    void Start(unsigned period_ms, py::function fn);
    void Stop();
};

void HandleTick(uv_timer_t *handle)
{
    auto *self = static_cast<Ticker *>(handle->data);
    py::gil_scoped_acquire gil;
    py::function listener = self->listener;
    try {
        listener(uv_now(handle->loop));
    } catch (py::error_already_set &e) {
        e.discard_as_unraisable("ticker");
    }
}

void HandleStop(uv_async_t *handle)
{
    auto *self = static_cast<Ticker *>(handle->data);
    uv_close(reinterpret_cast<uv_handle_t *>(&self->timer), nullptr);
    uv_close(reinterpret_cast<uv_handle_t *>(&self->stop), nullptr);
}

void Ticker::Start(unsigned period_ms, py::function fn)
{
    if (running)
        throw std::runtime_error("ticker is running");
    listener = std::move(fn);
    uv_loop_init(&loop);
    uv_timer_init(&loop, &timer);
    uv_async_init(&loop, &stop, HandleStop);
    timer.data = stop.data = this;
    uv_timer_start(&timer, HandleTick, period_ms, period_ms);
    running = true;
    thread = std::thread([this] { uv_run(&loop, UV_RUN_DEFAULT); });
}

void Ticker::Stop()
{
    if (!running)
        return;
    running = false;
    uv_async_send(&stop);
    py::gil_scoped_release nogil;
    thread.join();
    uv_loop_close(&loop);
}

} // namespace

PYBIND11_MODULE(_ticker, m)
{
    py::class_<Ticker>(m, "Ticker")
        .def(py::init<>())
        .def("start", &Ticker::Start, py::arg("period_ms"), py::arg("listener"))
        .def("stop", &Ticker::Stop);
}

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>

namespace nb = nanobind;

namespace bake {

struct Lightmap {
    std::string name;
    std::uint64_t texels = 0;
    double seconds = 0.0;
};

Lightmap integrate(const std::string &name, int samples)
{
    const auto start = std::chrono::steady_clock::now();
    Lightmap map{name};
    std::uint64_t state = 0x9E3779B97F4A7C15ull;
    for (int i = 0; i < samples * 4096; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        map.texels += state & 1;
    }
    map.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return map;
}

class Baker {
public:
    void submit(std::string name, int samples, nb::callable done, nb::object tag)
    {
        ++pending_;
        std::thread([this, name = std::move(name), samples, done = std::move(done), tag = std::move(tag)]() mutable {
            Lightmap map = integrate(name, samples);
            {
                nb::gil_scoped_acquire gil;
                try {
                    done(tag, map.texels, map.seconds);
                } catch (nb::python_error &e) {
                    e.discard_as_unraisable("bake");
                }
                done.reset();
                tag.reset();
            }
            --pending_;
        }).detach();
    }

    int pending() const { return pending_.load(); }

    void wait() const
    {
        nb::gil_scoped_release nogil;
        while (pending_.load() > 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }

    ~Baker() { wait(); }

private:
    std::atomic<int> pending_{0};
};

} // namespace bake

NB_MODULE(_bake, m)
{
    nb::class_<bake::Baker>(m, "Baker")
        .def(nb::init<>())
        .def("submit", &bake::Baker::submit)
        .def("wait", &bake::Baker::wait)
        .def_prop_ro("pending", &bake::Baker::pending);
}

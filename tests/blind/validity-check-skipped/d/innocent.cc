// Telescope mounts: park() gives the device back, after which the object is of no more use.
#include <stdexcept>
#include <string>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

extern "C" {
typedef struct scope_device scope_device;
scope_device *scope_open(const char *port);
void scope_close(scope_device *device);
int scope_slew(scope_device *device, double ascension, double declination);
int scope_position(scope_device *device, double *ascension, double *declination);
double scope_exposure(const scope_device *device);
void scope_set_exposure(scope_device *device, double seconds);
}

namespace nb = nanobind;

struct Telescope {
    explicit Telescope(const std::string &port) : device(scope_open(port.c_str())) {
        if (device == nullptr)
            throw std::runtime_error("no mount at " + port);
    }
    Telescope(const Telescope &) = delete;
    Telescope &operator=(const Telescope &) = delete;
    ~Telescope() { park(); }

    void park() {
        if (device != nullptr)
            scope_close(std::exchange(device, nullptr));
    }

    scope_device *operator*() const {
        if (device == nullptr)
            throw std::runtime_error("the telescope is parked");
        return device;
    }

    scope_device *device;
};

static void slew(Telescope &telescope, double ascension, double declination) {
    if (scope_slew(*telescope, ascension, declination) != 0)
        throw std::runtime_error("the mount refused to move");
}

static std::pair<double, double> position(const Telescope &telescope) {
    double ascension = 0, declination = 0;
    if (scope_position(*telescope, &ascension, &declination) != 0)
        throw std::runtime_error("the mount does not answer");
    return {ascension, declination};
}

static void bind_telescope(nb::module_ &m) {
    nb::class_<Telescope>(m, "Telescope")
        .def(nb::init<const std::string &>(), nb::arg("port"))
        .def("slew", &slew, nb::arg("ascension"), nb::arg("declination"))
        .def("park", &Telescope::park)
        .def_prop_ro("position", &position)
        .def_prop_rw(
            "exposure",
            [](const Telescope &telescope) { return scope_exposure(*telescope); },
            [](Telescope &telescope, double seconds) { scope_set_exposure(*telescope, seconds); });
}

NB_MODULE(_telescope, m) {
    bind_telescope(m);
}

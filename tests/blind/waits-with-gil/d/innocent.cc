// Decodes the bands of a satellite scene in parallel and reports progress to Python.
#include <cstdint>
#include <functional>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

struct Band {
    std::string path;
    std::vector<uint16_t> samples;
};

std::vector<uint16_t> decode_band(const std::string &path);

class SceneLoader {
public:
    explicit SceneLoader(std::vector<std::string> paths) : paths_(std::move(paths)) {}

    void on_progress(py::function progress) { progress_ = std::move(progress); }

    std::size_t load_all() {
        std::vector<Band> loaded = collect();
        bands_ = std::move(loaded);
        return bands_.size();
    }

    uint64_t brightness(std::size_t index) const {
        uint64_t total = 0;
        for (uint16_t sample : bands_.at(index).samples)
            total += sample;
        return total;
    }

private:
    std::vector<Band> collect() {
        py::gil_scoped_release waiting;
        std::vector<std::future<Band>> pending;
        for (const std::string &path : paths_)
            pending.push_back(std::async(std::launch::async, [this, path] { return load(path); }));
        std::vector<Band> loaded;
        for (std::future<Band> &band : pending)
            loaded.push_back(band.get());
        return loaded;
    }

    Band load(const std::string &path) {
        Band band{path, decode_band(path)};
        report(band);
        return band;
    }

    void report(const Band &band) {
        py::gil_scoped_acquire gil;
        if (!progress_)
            return;
        try {
            progress_(band.path, band.samples.size());
        } catch (py::error_already_set &error) {
            error.discard_as_unraisable("SceneLoader progress");
        }
    }

    std::vector<std::string> paths_;
    std::vector<Band> bands_;
    py::object progress_;
};

PYBIND11_MODULE(_scene, m) {
    py::class_<SceneLoader>(m, "SceneLoader")
        .def(py::init<std::vector<std::string>>(), py::arg("paths"))
        .def("on_progress", &SceneLoader::on_progress, py::arg("progress"))
        .def("load_all", &SceneLoader::load_all)
        .def("brightness", &SceneLoader::brightness, py::arg("band"));
}

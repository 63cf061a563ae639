#include <pybind11/pybind11.h>

#include <hdf5.h>

#include <stdexcept>
#include <string>

namespace py = pybind11;

class Archive {
 public:
  Archive(const std::string& path, bool writable)
      : path_(path), id_(H5Fopen(path.c_str(), writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY, H5P_DEFAULT)) {
    if (id_ < 0) throw std::runtime_error("cannot open " + path);
    info_ = new H5F_info2_t();
    if (H5Fget_info2(id_, info_) < 0) {
      close();
      throw std::runtime_error("not an HDF5 file: " + path);
    }
  }
  Archive(const Archive&) = delete;
  ~Archive() { close(); }

  void close() {
    if (!info_) return;
    H5Fclose(id_);
    delete info_;
    info_ = nullptr;
  }

  bool closed() const { return info_ == nullptr; }
  const std::string& path() const { return path_; }

  void refresh() {
    require_open();
    if (H5Fget_info2(id_, info_) < 0) throw std::runtime_error("H5Fget_info2");
  }

  void flush() {
    require_open();
    if (H5Fflush(id_, H5F_SCOPE_LOCAL) < 0) throw std::runtime_error("H5Fflush");
  }

  bool contains(const std::string& name) const {
    require_open();
    return H5Lexists(id_, name.c_str(), H5P_DEFAULT) > 0;
  }

  unsigned version() const {
    require_open();
    return info_->super.version;
  }

  unsigned long long free_space() const {
    require_open();
    return static_cast<unsigned long long>(info_->free.tot_space);
  }

 private:
  void require_open() const {
    if (!info_) throw py::value_error("I/O operation on a closed archive: " + path_);
  }

  std::string path_;
  hid_t id_;
  H5F_info2_t* info_ = nullptr;
};

PYBIND11_MODULE(_archive, m) {
  py::class_<Archive>(m, "Archive")
      .def(py::init<const std::string&, bool>(), py::arg("path"), py::arg("writable") = false)
      .def("close", &Archive::close)
      .def("flush", &Archive::flush)
      .def("refresh", &Archive::refresh)
      .def("__contains__", &Archive::contains)
      .def_property_readonly("closed", &Archive::closed)
      .def_property_readonly("path", &Archive::path)
      .def_property_readonly("version", &Archive::version)
      .def_property_readonly("free_space", &Archive::free_space);
}

#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace py = pybind11;

namespace grid {

// Immutable, up to four dimensions.
class Extents {
 public:
  static constexpr std::size_t kMaxRank = 4;

  Extents() = default;
  void Append(std::int64_t extent) { sizes_[rank_++] = extent; }
  std::size_t rank() const { return rank_; }
  std::int64_t operator[](std::size_t i) const { return sizes_[i]; }
  std::int64_t Volume() const {
    std::int64_t volume = 1;
    for (std::size_t i = 0; i < rank_; ++i) volume *= sizes_[i];
    return volume;
  }

 private:
  std::array<std::int64_t, kMaxRank> sizes_{};
  std::size_t rank_ = 0;
};

}  // namespace grid

namespace pybind11::detail {

template <>
struct type_caster<grid::Extents> {
  static constexpr auto name = const_name("tuple[int, ...]");
  template <typename T>
  using cast_op_type = pybind11::detail::cast_op_type<T>;

  bool load(handle src, bool /*convert*/) {
    if (!isinstance<pybind11::tuple>(src)) return false;
    auto sizes = reinterpret_borrow<pybind11::tuple>(src);
    if (sizes.size() > grid::Extents::kMaxRank) return false;
    grid::Extents extents;
    for (handle size : sizes) {
      if (!isinstance<int_>(size)) return false;
      extents.Append(size.cast<std::int64_t>());
    }
    value_ = new grid::Extents(extents);
    return true;
  }

  static handle cast(const grid::Extents &src, return_value_policy, handle) {
    pybind11::tuple out(src.rank());
    for (std::size_t i = 0; i < src.rank(); ++i) out[i] = int_(src[i]);
    return out.release();
  }

  operator grid::Extents *() { return value_; }
  operator grid::Extents &() { return *value_; }

 private:
  grid::Extents *value_ = nullptr;
};

}  // namespace pybind11::detail

PYBIND11_MODULE(_grid, m) {
  m.def("volume", [](const grid::Extents &e) { return e.Volume(); },
        py::arg("extents"));
  m.def("reversed", [](const grid::Extents &e) {
    grid::Extents out;
    for (std::size_t i = e.rank(); i-- > 0;) out.Append(e[i]);
    return out;
  });
}

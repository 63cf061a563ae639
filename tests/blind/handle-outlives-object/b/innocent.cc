#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <string_view>

namespace nb = nanobind;

namespace tz {

class Offsets {
 public:
  explicit Offsets(std::string zone) : zone_(std::move(zone)) {}

  int seconds(long long stamp) const {
    nb::module_ zoneinfo = nb::module_::import_("zoneinfo");
    nb::object info = zoneinfo.attr("ZoneInfo")(zone_);
    nb::object datetime = nb::module_::import_("datetime").attr("datetime");
    nb::object delta = datetime.attr("fromtimestamp")(stamp, info).attr("utcoffset")();
    if (delta.is_none()) return 0;
    return nb::cast<int>(delta.attr("seconds")) +
           86400 * nb::cast<int>(delta.attr("days"));
  }

  std::string label(long long stamp) const {
    const int s = seconds(stamp);
    const int m = (s < 0 ? -s : s) / 60;
    std::string out = s < 0 ? "-" : "+";
    out += two(m / 60);
    out += ':';
    out += two(m % 60);
    return out;
  }

  const std::string& zone() const { return zone_; }

 private:
  static std::string two(int n) { return {static_cast<char>('0' + n / 10), static_cast<char>('0' + n % 10)}; }
  std::string zone_;
};

}  // namespace tz

NB_MODULE(_tz, m) {
  nb::class_<tz::Offsets>(m, "Offsets")
      .def(nb::init<std::string>(), nb::arg("zone"))
      .def("seconds", &tz::Offsets::seconds, nb::arg("stamp"))
      .def("label", &tz::Offsets::label, nb::arg("stamp"))
      .def_prop_ro("zone", &tz::Offsets::zone);
}

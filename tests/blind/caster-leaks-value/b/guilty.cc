#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cctype>
#include <cstdint>
#include <string>

namespace nb = nanobind;

struct Pattern {
  std::string text;
  bool anchored = false;
  uint32_t hash = 2166136261u;

  explicit Pattern(const char* source) : text(source) {
    if (!text.empty() && text.front() == '^') {
      anchored = true;
      text.erase(0, 1);
    }
    for (unsigned char c : text) hash = (hash ^ std::tolower(c)) * 16777619u;
  }
};

namespace nanobind::detail {

template <>
struct type_caster<Pattern> {
  using Value = Pattern;
  static constexpr auto Name = const_name("str");
  template <typename T>
  using Cast = precise_cast_t<T>;
  template <typename T>
  bool can_cast() const { return true; }

  bool from_python(handle src, uint8_t, cleanup_list*) noexcept {
    const char* source = PyUnicode_AsUTF8(src.ptr());
    if (!source) {
      PyErr_Clear();
      return false;
    }
    value = new Pattern(source);
    return true;
  }

  static handle from_cpp(const Pattern& p, rv_policy, cleanup_list*) noexcept {
    return PyUnicode_FromString(p.text.c_str());
  }

  explicit operator Pattern*() { return value; }
  explicit operator Pattern&() { return *value; }

  Pattern* value = nullptr;
};

}  // namespace nanobind::detail

size_t count(const std::string& haystack, Pattern* p) {
  if (p->text.empty()) return 0;
  if (p->anchored) return haystack.compare(0, p->text.size(), p->text) == 0 ? 1 : 0;
  size_t n = 0;
  for (size_t at = haystack.find(p->text); at != std::string::npos;
       at = haystack.find(p->text, at + p->text.size()))
    ++n;
  return n;
}

NB_MODULE(_grep, m) {
  m.def("count", &count, nb::arg("haystack"), nb::arg("pattern"));
  m.def("fingerprint", [](Pattern* p) { return p->hash; }, nb::arg("pattern"));
}

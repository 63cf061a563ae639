#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace nb = nanobind;

namespace {

struct Codec {
  std::string id;
  int bits_per_sample;
  bool lossless;
  int64_t FrameBytes(int channels, int samples) const {
    return (static_cast<int64_t>(bits_per_sample) * channels * samples + 7) / 8;
  }
};

std::array<Codec, 4>& Table() {
  static std::array<Codec, 4> table = {{
      {"pcm16", 16, true},
      {"pcm24", 24, true},
      {"alaw", 8, false},
      {"mulaw", 8, false},
  }};
  return table;
}

Codec* FindCodec(std::string_view id) {
  for (Codec& c : Table()) {
    if (c.id == id) return &c;
  }
  return nullptr;
}

}  // namespace

NB_MODULE(_codecs, m) {
  nb::class_<Codec>(m, "Codec")
      .def_ro("id", &Codec::id)
      .def_ro("bits_per_sample", &Codec::bits_per_sample)
      .def_ro("lossless", &Codec::lossless)
      .def("frame_bytes", &Codec::FrameBytes, nb::arg("channels"), nb::arg("samples"));

  m.def("codec", [](const std::string& id) -> Codec* {
    Codec* found = FindCodec(id);
    if (!found) throw nb::key_error(id.c_str());
    return found;
  }, nb::arg("id"), nb::rv_policy::reference);
  m.def("known", [] {
    nb::list names;
    for (const Codec& c : Table()) names.append(c.id);
    return names;
  });
}

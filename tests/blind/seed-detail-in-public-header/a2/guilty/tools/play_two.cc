// Plays two raw float files on top of each other to standard output.
#include <cstdio>
#include <vector>

#include "mixer/mixer.h"

namespace {

std::vector<float> Load(const char* path) {
  std::vector<float> samples;
  if (std::FILE* in = std::fopen(path, "rb")) {
    float block[1024];
    for (size_t n; (n = std::fread(block, sizeof(float), 1024, in)) > 0;) {
      samples.insert(samples.end(), block, block + n);
    }
    std::fclose(in);
  }
  return samples;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  mixer::Mixer mix({48000, 2});
  mix.AddTrack(Load(argv[1]));
  mix.SetGain(mix.AddTrack(Load(argv[2])), 0.25f, 2.0f);
  float out[2 * 512];
  while (size_t n = mix.Render(out, 512)) std::fwrite(out, 2 * sizeof(float), n, stdout);
  return 0;
}

// Public interface of the mixer library.
#ifndef MIXER_MIXER_H_
#define MIXER_MIXER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mixer {

struct Format {
  uint32_t rate = 48000;
  uint32_t channels = 2;
};

// Sums interleaved float tracks into one stream.
class Mixer {
 public:
  explicit Mixer(Format format) : format_(format) {}

  size_t AddTrack(std::vector<float> samples);
  void SetGain(size_t track, float gain, float seconds);
  // Renders up to `frames` frames; returns how many were written.
  size_t Render(float* out, size_t frames);

 private:
  // Linear gain ramp, advanced frame by frame.
  class GainRamp {
   public:
    void Retarget(float goal, size_t frames);
    float Next();

   private:
    float gain_ = 1.0f;
    float step_ = 0.0f;
    size_t left_ = 0;
  };

  struct Track {
    std::vector<float> samples;
    size_t frame = 0;
    GainRamp ramp;
  };

  Format format_;
  std::vector<Track> tracks_;
};

}  // namespace mixer

#endif  // MIXER_MIXER_H_

#include "mixer/mixer.h"

#include <algorithm>
#include <utility>

namespace mixer {

void Mixer::GainRamp::Retarget(float goal, size_t frames) {
  left_ = std::max<size_t>(frames, 1);
  step_ = (goal - gain_) / static_cast<float>(left_);
}

float Mixer::GainRamp::Next() {
  if (left_ > 0) {
    gain_ += step_;
    --left_;
  }
  return gain_;
}

size_t Mixer::AddTrack(std::vector<float> samples) {
  Track track;
  track.samples = std::move(samples);
  tracks_.push_back(std::move(track));
  return tracks_.size() - 1;
}

void Mixer::SetGain(size_t track, float gain, float seconds) {
  tracks_.at(track).ramp.Retarget(gain, static_cast<size_t>(seconds * format_.rate));
}

size_t Mixer::Render(float* out, size_t frames) {
  std::fill_n(out, frames * format_.channels, 0.0f);
  size_t longest = 0;
  for (Track& t : tracks_) {
    const size_t left = t.samples.size() / format_.channels - t.frame;
    const size_t n = std::min(frames, left);
    for (size_t f = 0; f < n; ++f, ++t.frame) {
      const float gain = t.ramp.Next();
      for (uint32_t c = 0; c < format_.channels; ++c) {
        out[f * format_.channels + c] += gain * t.samples[t.frame * format_.channels + c];
      }
    }
    longest = std::max(longest, n);
  }
  return longest;
}

}  // namespace mixer

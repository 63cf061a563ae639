#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

class Effect {
 public:
  virtual ~Effect() = default;
  virtual bool Configure(double rate, std::size_t block) = 0;
  virtual void Process(float* samples, std::size_t count) = 0;
};

class LowPass : public Effect {
 public:
  explicit LowPass(double cutoff) : cutoff_(cutoff) {}
  bool Configure(double rate, std::size_t) override {
    if (cutoff_ <= 0 || cutoff_ >= rate / 2) return false;
    alpha_ = static_cast<float>(1.0 - std::exp(-6.283185307 * cutoff_ / rate));
    return true;
  }
  void Process(float* samples, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      state_ += alpha_ * (samples[i] - state_);
      samples[i] = state_;
    }
  }

 private:
  double cutoff_;
  float alpha_ = 0;
  float state_ = 0;
};

class EffectChain {
 public:
  EffectChain(double rate, std::size_t block) : rate_(rate), block_(block) {}
  EffectChain(const EffectChain&) = delete;
  EffectChain& operator=(const EffectChain&) = delete;
  ~EffectChain() {
    for (Effect* effect : effects_) delete effect;
  }

  bool Insert(std::unique_ptr<Effect> effect) {
    if (!effect) return false;
    effects_.reserve(effects_.size() + 1);
    Effect* raw = effect.release();
    if (!raw->Configure(rate_, block_)) return false;
    effects_.push_back(raw);
    return true;
  }

  void Process(float* samples, std::size_t count) {
    for (Effect* effect : effects_) effect->Process(samples, count);
  }

 private:
  double rate_;
  std::size_t block_;
  std::vector<Effect*> effects_;
};

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

class Voice;

class Mixer {
 public:
  Voice* OpenVoice(int note);
  void CloseVoice(Voice* voice);
  void Attach(Voice* voice);
  void Detach(Voice* voice);
  std::size_t ActiveCount();

 private:
  std::mutex graph_lock_;
  std::vector<Voice*> active_;
  std::vector<std::unique_ptr<Voice>> voices_;
};

class Voice {
 public:
  Voice(Mixer& mixer, int note) : mixer_(mixer), note_(note) { mixer_.Attach(this); }
  ~Voice() { mixer_.Detach(this); }
  Voice(const Voice&) = delete;
  Voice& operator=(const Voice&) = delete;
  int note() const { return note_; }

 private:
  Mixer& mixer_;
  int note_;
};

void Mixer::Attach(Voice* voice) {
  std::lock_guard<std::mutex> hold(graph_lock_);
  active_.push_back(voice);
}

void Mixer::Detach(Voice* voice) {
  std::lock_guard<std::mutex> hold(graph_lock_);
  active_.erase(std::remove(active_.begin(), active_.end(), voice), active_.end());
}

std::size_t Mixer::ActiveCount() {
  std::lock_guard<std::mutex> hold(graph_lock_);
  return active_.size();
}

Voice* Mixer::OpenVoice(int note) {
  auto voice = std::make_unique<Voice>(*this, note);
  std::lock_guard<std::mutex> hold(graph_lock_);
  voices_.push_back(std::move(voice));
  return voices_.back().get();
}

void Mixer::CloseVoice(Voice* voice) {
  std::unique_ptr<Voice> ended;
  std::lock_guard<std::mutex> hold(graph_lock_);
  for (auto it = voices_.begin(); it != voices_.end(); ++it) {
    if (it->get() == voice) {
      ended = std::move(*it);
      voices_.erase(it);
      return;
    }
  }
}

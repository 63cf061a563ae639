#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

inline void Check(cudaError_t code, const char* what) {
  if (code != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
}

class EventBase {
 public:
  void Record(cudaStream_t stream) { Check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  float MillisecondsSince(const EventBase& earlier) const {
    float ms = 0;
    Check(cudaEventElapsedTime(&ms, earlier.event_, event_), "cudaEventElapsedTime");
    return ms;
  }
  void Wait() const { Check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }

 protected:
  cudaEvent_t event_ = nullptr;
};

class ScopedEvent : public EventBase {
 public:
  ScopedEvent() { Check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ScopedEvent(ScopedEvent&& other) noexcept { event_ = std::exchange(other.event_, nullptr); }
  ScopedEvent& operator=(ScopedEvent&&) = delete;
  ~ScopedEvent() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
};

class Profiler {
 public:
  explicit Profiler(cudaStream_t stream) : stream_(stream) {}

  void Mark(std::string label) {
    ScopedEvent mark;
    mark.Record(stream_);
    marks_.push_back(std::move(mark));
    labels_.push_back(std::move(label));
  }

  std::vector<std::pair<std::string, float>> Intervals() const {
    std::vector<std::pair<std::string, float>> result;
    if (marks_.empty()) return result;
    marks_.back().Wait();
    for (std::size_t i = 1; i < labels_.size(); ++i) {
      result.emplace_back(labels_[i], marks_[i].MillisecondsSince(marks_[i - 1]));
    }
    return result;
  }

 private:
  cudaStream_t stream_;
  std::vector<ScopedEvent> marks_;
  std::vector<std::string> labels_;
};

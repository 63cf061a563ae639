#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct NativeJob {
  std::string label;
  int progress = 0;
};

struct Scheduler {
  std::vector<std::unique_ptr<NativeJob>> queue;

  NativeJob* Submit(std::string label) {
    queue.push_back(std::make_unique<NativeJob>());
    queue.back()->label = std::move(label);
    return queue.back().get();
  }
  void Drop(NativeJob* job) {
    for (auto it = queue.begin(); it != queue.end(); ++it) {
      if (it->get() == job) {
        queue.erase(it);
        return;
      }
    }
  }
};

class Job {
 public:
  static Job FromNative(std::shared_ptr<Scheduler> scheduler, NativeJob* native) {
    return Job(std::move(scheduler), native);
  }

  static Job Current(const std::shared_ptr<Scheduler>& scheduler) {
    if (scheduler->queue.empty()) throw std::runtime_error("nothing is scheduled");
    return FromNative(scheduler, scheduler->queue.front().get());
  }

  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  int Progress() const { return Native()->progress; }
  std::string Label() const { return Native()->label; }

  void Cancel() {
    NativeJob* native = Native();
    done_ = true;
    scheduler_->Drop(native);
  }

 private:
  Job(std::shared_ptr<Scheduler> scheduler, NativeJob* native)
      : scheduler_(std::move(scheduler)), native_(native) {}

  NativeJob* Native() const {
    if (done_) throw std::logic_error("job is done");
    return native_;
  }

  std::shared_ptr<Scheduler> scheduler_;
  NativeJob* native_;
  bool done_ = false;
};

int main() {
  auto scheduler = std::make_shared<Scheduler>();
  Job render = Job::FromNative(scheduler, scheduler->Submit("render"));
  Job front = Job::Current(scheduler);
  front.Cancel();
  try {
    return render.Progress();
  } catch (const std::logic_error&) {
    return 1;
  }
}

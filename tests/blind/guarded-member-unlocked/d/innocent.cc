#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace pitwall {

struct Sample {
    std::uint32_t millis;
    float speed;
    float throttle;
};

struct Totals {
    std::size_t samples = 0;
    std::size_t bytes = 0;

    void add(std::size_t count, std::size_t size) {
        samples += count;
        bytes += size;
    }
};

class LapRecorder {
public:
    explicit LapRecorder(const std::string &path) : file_(path, std::ios::binary) {}

    void push(const Sample &sample) {
        std::lock_guard<std::mutex> hold(mutex_);
        pending_.push_back(sample);
        if (pending_.size() >= kBatch)
            ready_.notify_one();
    }

    void finish() {
        std::lock_guard<std::mutex> hold(mutex_);
        finished_ = true;
        ready_.notify_one();
    }

    Totals totals() const {
        std::lock_guard<std::mutex> hold(mutex_);
        return totals_;
    }

    // The writer thread runs this until it returns false.
    bool drain() {
        std::unique_lock<std::mutex> hold(mutex_);
        ready_.wait(hold, [this] { return finished_ || pending_.size() >= kBatch; });
        std::vector<Sample> batch = std::exchange(pending_, {});
        const bool more = !finished_;
        hold.unlock();

        const std::size_t size = batch.size() * sizeof(Sample);
        file_.write(reinterpret_cast<const char *>(batch.data()),
                    static_cast<std::streamsize>(size));
        if (!file_)
            return false;
        hold.lock();
        totals_.add(batch.size(), size);
        return more;
    }

private:
    static constexpr std::size_t kBatch = 256;

    mutable std::mutex mutex_;
    std::condition_variable ready_;
    std::vector<Sample> pending_;  // guarded by mutex_
    Totals totals_;                // guarded by mutex_
    bool finished_ = false;        // guarded by mutex_
    std::ofstream file_;           // the writer thread's own
};

}  // namespace pitwall

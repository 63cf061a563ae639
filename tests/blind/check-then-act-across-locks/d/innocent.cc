// Print spooler: a fixed tray of slots that a driver thread drains.
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace spool {

struct Job {
    std::string owner;
    std::vector<uint8_t> raster;
    int copies = 1;
};

std::vector<uint8_t> rasterise(const std::string &document, int dpi);

class SpoolQueue {
public:
    static constexpr std::size_t kSlots = 32;

    explicit SpoolQueue(int dpi) : dpi_(dpi) {}

    // Returns false when the tray is full.
    bool submit(const std::string &owner, const std::string &document, int copies) {
        if (!has_room())
            return false;

        // Slow: keep the driver thread running meanwhile.
        Job job;
        job.owner = owner;
        job.raster = rasterise(document, dpi_);
        job.copies = copies;

        std::lock_guard<std::mutex> hold(mutex_);
        if (used_ == kSlots)
            return false;
        slots_[used_++] = std::move(job);
        return true;
    }

    bool take(Job &out) {
        std::lock_guard<std::mutex> hold(mutex_);
        if (used_ == 0)
            return false;
        out = std::move(slots_[0]);
        for (std::size_t i = 1; i < used_; ++i)
            slots_[i - 1] = std::move(slots_[i]);
        --used_;
        return true;
    }

    bool has_room() const {
        std::lock_guard<std::mutex> hold(mutex_);
        return used_ < kSlots;
    }

private:
    const int dpi_;
    mutable std::mutex mutex_;
    std::array<Job, kSlots> slots_;
    std::size_t used_ = 0;
};

}  // namespace spool

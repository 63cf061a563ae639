#include <array>
#include <atomic>
#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace radio {

struct Burst {
    double hertz = 0;
    std::vector<std::complex<float>> iq;
};

// Single producer, single consumer.  A burst in the ring belongs to the ring.
class BurstRing {
public:
    ~BurstRing() {
        while (Burst *burst = take())
            delete burst;
    }

    bool offer(Burst *burst) {
        const std::size_t head = head_.load(std::memory_order_relaxed);
        const std::size_t next = (head + 1) % slots_.size();
        if (next == tail_.load(std::memory_order_acquire))
            return false;
        slots_[head] = burst;
        head_.store(next, std::memory_order_release);
        return true;
    }

    Burst *take() {
        const std::size_t tail = tail_.load(std::memory_order_relaxed);
        if (tail == head_.load(std::memory_order_acquire))
            return nullptr;
        Burst *burst = slots_[tail];
        tail_.store((tail + 1) % slots_.size(), std::memory_order_release);
        return burst;
    }

private:
    std::array<Burst *, 32> slots_{};
    std::atomic<std::size_t> head_{0};
    std::atomic<std::size_t> tail_{0};
};

class Receiver {
public:
    bool on_samples(double hertz, const std::complex<float> *iq, std::size_t count) {
        if (count < kShortest)
            return false;
        auto burst = std::make_unique<Burst>();
        burst->hertz = hertz;
        burst->iq.assign(iq, iq + count);
        if (!ring_.offer(burst.release())) {
            ++overruns_;
            return false;
        }
        return true;
    }

    std::unique_ptr<Burst> next() { return std::unique_ptr<Burst>(ring_.take()); }
    unsigned overruns() const { return overruns_; }

private:
    static constexpr std::size_t kShortest = 64;
    BurstRing ring_;
    unsigned overruns_ = 0;
};

}  // namespace radio

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <future>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace darkroom {

using Histogram = std::array<std::uint32_t, 256>;

class Photo {
public:
    explicit Photo(std::vector<std::uint8_t> luma) : luma_(std::move(luma)) {}

    const Histogram &histogram() const {
        std::lock_guard<std::mutex> hold(mutex_);
        if (!histogram_.has_value()) {
            Histogram &bins = histogram_.emplace();
            bins.fill(0);
            for (std::uint8_t value : luma_)
                ++bins[value];
        }
        return *histogram_;
    }

    double mean() const {
        double sum = 0;
        const Histogram &bins = histogram();
        for (std::size_t i = 0; i < bins.size(); ++i)
            sum += static_cast<double>(i) * bins[i];
        return luma_.empty() ? 0 : sum / luma_.size();
    }

    double entropy() const {
        double bits = 0;
        for (std::uint32_t count : histogram()) {
            if (count) {
                const double p = static_cast<double>(count) / luma_.size();
                bits -= p * std::log2(p);
            }
        }
        return bits;
    }

private:
    std::vector<std::uint8_t> luma_;
    mutable std::mutex mutex_;
    mutable std::optional<Histogram> histogram_;
};

struct Score {
    double exposure;
    double detail;
};

Score score(const Photo &photo) {
    auto exposure = std::async(std::launch::async, [&photo] { return photo.mean() / 255.0; });
    auto detail = std::async(std::launch::async, [&photo] { return photo.entropy() / 8.0; });
    return {exposure.get(), detail.get()};
}

}  // namespace darkroom

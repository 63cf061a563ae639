#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace Risk {

// 64-byte aligned blocks for the vectorised pricers.
class AlignedHeap {
public:
    static double* Acquire(std::size_t count) {
        const std::size_t bytes = (count * sizeof(double) + 63) / 64 * 64;
        void* block = std::aligned_alloc(64, bytes == 0 ? 64 : bytes);
        if (block == nullptr)
            throw std::bad_alloc();
        return static_cast<double*>(block);
    }

    static void Release(double* block) noexcept { std::free(block); }
};

struct MarketQuote {
    double tenorYears;
    double zeroRate;
};

struct DiscountGrid {
    explicit DiscountGrid(std::size_t points)
        : factors(AlignedHeap::Acquire(points)), count(points) {}

    ~DiscountGrid() { AlignedHeap::Release(factors); }

    DiscountGrid(const DiscountGrid&) = delete;
    DiscountGrid& operator=(const DiscountGrid&) = delete;

    double* factors;
    std::size_t count;
};

// Built anew for each market snapshot (a few times a minute) and discarded when
// the next snapshot arrives. Each valuation worker has its own book.
class CurveBook {
public:
    CurveBook(double horizonYears, std::size_t stepsPerYear)
        : steps_(static_cast<std::size_t>(horizonYears * static_cast<double>(stepsPerYear)) + 1),
          dt_(1.0 / static_cast<double>(stepsPerYear)) {}

    ~CurveBook() {
        for (auto& item : workspaces_)
            AlignedHeap::Release(item.second);
    }

    CurveBook(const CurveBook&) = delete;
    CurveBook& operator=(const CurveBook&) = delete;

    void SetQuotes(const std::string& currency, std::vector<MarketQuote> quotes) {
        if (quotes.empty())
            throw std::invalid_argument("no quotes for " + currency);
        quotes_[currency] = std::move(quotes);
        grids_.erase(currency);
    }

    const DiscountGrid& GridFor(const std::string& currency) {
        auto found = grids_.find(currency);
        if (found == grids_.end())
            found = grids_.emplace(currency, BuildGrid(currency)).first;
        return *found->second;
    }

    double PresentValue(const std::string& currency, const std::vector<double>& flows) {
        const DiscountGrid& grid = GridFor(currency);
        if (flows.size() > grid.count)
            throw std::out_of_range("cash flows beyond the horizon");
        double* discounted = Workspace(currency);
        double total = 0.0;
        for (std::size_t i = 0; i < flows.size(); ++i) {
            discounted[i] = flows[i] * grid.factors[i];
            total += discounted[i];
        }
        return total;
    }

private:
    std::unique_ptr<DiscountGrid> BuildGrid(const std::string& currency) const {
        const std::vector<MarketQuote>& quotes = quotes_.at(currency);
        auto grid = std::make_unique<DiscountGrid>(steps_);
        std::size_t q = 0;
        for (std::size_t i = 0; i < steps_; ++i) {
            const double t = static_cast<double>(i) * dt_;
            while (q + 1 < quotes.size() && quotes[q].tenorYears < t)
                ++q;
            grid->factors[i] = std::exp(-quotes[q].zeroRate * t);
        }
        return grid;
    }

    double* Workspace(const std::string& currency) {
        double*& block = workspaces_[currency];
        if (block == nullptr)
            block = AlignedHeap::Acquire(steps_);
        return block;
    }

    std::size_t steps_;
    double dt_;
    std::unordered_map<std::string, std::vector<MarketQuote>> quotes_;
    std::unordered_map<std::string, std::unique_ptr<DiscountGrid>> grids_;
    std::unordered_map<std::string, double*> workspaces_;
};

}  // namespace Risk

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace Ledgerline {

enum class LogLevel { Debug, Info, Warning };

class LogCategory
{
public:
    explicit LogCategory(std::string name, LogLevel threshold = LogLevel::Info)
        : m_name(std::move(name)), m_threshold(threshold) {}

    bool isDebugEnabled() const { return m_threshold <= LogLevel::Debug; }
    void setThreshold(LogLevel threshold) { m_threshold = threshold; }

    void write(LogLevel level, const std::string &text) const
    {
        if (level >= m_threshold)
            std::clog << m_name << ": " << text << '\n';
    }

private:
    std::string m_name;
    LogLevel m_threshold;
};

LogCategory lcRisk("ledgerline.risk");

struct Position
{
    std::string symbol;
    double quantity = 0.0;
    double multiplier = 1.0;
};

class QuoteBoard
{
public:
    void update(const std::string &symbol, double price) { m_prices[symbol] = price; }

    bool priceOf(const std::string &symbol, double *price) const
    {
        const auto found = m_prices.find(symbol);
        if (found == m_prices.end())
            return false;
        *price = found->second;
        return true;
    }

private:
    std::map<std::string, double> m_prices;
};

struct Exposure
{
    double gross = 0.0;
    double net = 0.0;
    int unpriced = 0;
};

// Evaluated on every tick, for every account.
class ExposureMonitor
{
public:
    ExposureMonitor(const QuoteBoard *board, double grossLimit)
        : m_board(board), m_grossLimit(grossLimit) {}

    Exposure evaluate(const std::vector<Position> &book) const;
    bool isWithinLimit(const std::vector<Position> &book) const;

private:
    static std::string describe(const std::vector<Position> &book, const Exposure &exposure);

    const QuoteBoard *m_board;
    double m_grossLimit;
};

std::string ExposureMonitor::describe(const std::vector<Position> &book,
                                      const Exposure &exposure)
{
    std::vector<Position> sorted(book);
    std::sort(sorted.begin(), sorted.end(), [](const Position &a, const Position &b) {
        return a.symbol < b.symbol;
    });

    std::ostringstream text;
    text << "gross " << exposure.gross << " net " << exposure.net;
    for (const Position &position : sorted)
        text << "\n    " << position.symbol << " x " << position.quantity;
    return text.str();
}

Exposure ExposureMonitor::evaluate(const std::vector<Position> &book) const
{
    Exposure exposure;
    for (const Position &position : book) {
        double price = 0.0;
        if (!m_board->priceOf(position.symbol, &price)) {
            ++exposure.unpriced;
            continue;
        }
        const double value = position.quantity * position.multiplier * price;
        exposure.gross += std::fabs(value);
        exposure.net += value;
    }

    const std::string summary = describe(book, exposure);
    if (lcRisk.isDebugEnabled())
        lcRisk.write(LogLevel::Debug, summary);

    return exposure;
}

bool ExposureMonitor::isWithinLimit(const std::vector<Position> &book) const
{
    const Exposure exposure = evaluate(book);
    if (exposure.unpriced > 0) {
        lcRisk.write(LogLevel::Warning,
                     std::to_string(exposure.unpriced) + " positions have no price");
        return false;
    }
    return exposure.gross <= m_grossLimit;
}

} // namespace Ledgerline

#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace Exchange {

using InstrumentId = uint32_t;

struct InstrumentInfo
{
    std::string symbol;
    int64_t tickSize = 1;
    int64_t lotSize = 1;
};

// Reference data as published by the exchange.
class ReferenceSource
{
public:
    virtual ~ReferenceSource() = default;
    virtual std::optional<InstrumentInfo> fetch(const std::string &symbol) = 0;
};

// Gives every traded symbol a dense id; positions, limits and order books are
// arrays indexed by it. Used from all session threads.
class InstrumentRegistry
{
public:
    explicit InstrumentRegistry(ReferenceSource &source) : m_source(source) {}

    InstrumentRegistry(const InstrumentRegistry &) = delete;
    InstrumentRegistry &operator=(const InstrumentRegistry &) = delete;

    InstrumentId idForSymbol(const std::string &symbol)
    {
        {
            std::shared_lock<std::shared_mutex> reader(m_lock);
            const auto known = m_ids.find(symbol);
            if (known != m_ids.end())
                return known->second;
        }

        std::optional<InstrumentInfo> info = m_source.fetch(symbol);
        if (!info)
            throw std::invalid_argument("unknown symbol " + symbol);
        info->symbol = symbol;

        std::unique_lock<std::shared_mutex> writer(m_lock);
        return registerInstrument(*info);
    }

    InstrumentInfo info(InstrumentId id) const
    {
        std::shared_lock<std::shared_mutex> reader(m_lock);
        return m_instruments.at(id);
    }

private:
    // The caller holds m_lock exclusively.
    InstrumentId registerInstrument(const InstrumentInfo &info)
    {
        const InstrumentId id = static_cast<InstrumentId>(m_instruments.size());
        m_instruments.push_back(info);
        m_ids[info.symbol] = id;
        return id;
    }

    ReferenceSource &m_source;
    mutable std::shared_mutex m_lock;
    std::unordered_map<std::string, InstrumentId> m_ids;
    std::vector<InstrumentInfo> m_instruments;
};

class PositionKeeper
{
public:
    PositionKeeper(InstrumentRegistry &registry, int64_t maxLots)
        : m_registry(registry), m_maxLots(maxLots)
    {
    }

    // Returns false when the order would take the net position over the limit.
    bool book(const std::string &symbol, int64_t lots)
    {
        const InstrumentId id = m_registry.idForSymbol(symbol);
        std::lock_guard<std::mutex> guard(m_mutex);
        if (id >= m_net.size())
            m_net.resize(id + 1, 0);
        const int64_t next = m_net[id] + lots;
        if (next > m_maxLots || next < -m_maxLots)
            return false;
        m_net[id] = next;
        return true;
    }

    int64_t net(const std::string &symbol)
    {
        const InstrumentId id = m_registry.idForSymbol(symbol);
        std::lock_guard<std::mutex> guard(m_mutex);
        return id < m_net.size() ? m_net[id] : 0;
    }

private:
    InstrumentRegistry &m_registry;
    const int64_t m_maxLots;
    std::mutex m_mutex;
    std::vector<int64_t> m_net;
};

} // namespace Exchange

// Telemetry of the field robot: publishers on the control threads, one uplink.

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rover
{

class CMutex
{
public:
    CMutex() { pthread_mutex_init(&m_mutex, nullptr); }
    ~CMutex() { pthread_mutex_destroy(&m_mutex); }
    CMutex(const CMutex&) = delete;
    CMutex& operator=(const CMutex&) = delete;

    void Enter() { pthread_mutex_lock(&m_mutex); }
    void Leave() { pthread_mutex_unlock(&m_mutex); }

private:
    pthread_mutex_t m_mutex;
};

class CAutoLock
{
public:
    explicit CAutoLock(CMutex& mutex) : m_rMutex(mutex) { m_rMutex.Enter(); }
    ~CAutoLock() { m_rMutex.Leave(); }
    CAutoLock(const CAutoLock&) = delete;
    CAutoLock& operator=(const CAutoLock&) = delete;

private:
    CMutex& m_rMutex;
};

struct SSample
{
    uint64_t uStampUs;
    double dValue;
};

struct SChannel
{
    std::string strName;
    std::deque<SSample> queue;
    size_t nDropped = 0;
};

class CTelemetryHub;

// Held by a control loop; Publish is called at the rate of that loop.
class CPublisher
{
public:
    CPublisher(CTelemetryHub& hub, SChannel* pChannel) : m_rHub(hub), m_pChannel(pChannel) {}

    void Publish(uint64_t uStampUs, double dValue);

private:
    CTelemetryHub& m_rHub;
    SChannel* m_pChannel;
};

class CTelemetryHub
{
public:
    static constexpr size_t kMaxQueued = 512;

    CPublisher Advertise(const std::string& strName)
    {
        CAutoLock lock(m_mutex);
        std::unique_ptr<SChannel>& rpChannel = m_channels[strName];
        if (!rpChannel)
        {
            rpChannel = std::make_unique<SChannel>();
            rpChannel->strName = strName;
        }
        return CPublisher(*this, rpChannel.get());
    }

    void Append(SChannel& channel, const SSample& sample)
    {
        CAutoLock lock(m_mutex);
        if (channel.queue.size() >= kMaxQueued)
        {
            channel.queue.pop_front();
            ++channel.nDropped;
        }
        channel.queue.push_back(sample);
    }

    // Uplink thread, ten times a second.
    std::vector<std::pair<std::string, SSample>> Drain()
    {
        std::vector<std::pair<std::string, SSample>> out;
        CAutoLock lock(m_mutex);
        for (auto& entry : m_channels)
        {
            for (const SSample& sample : entry.second->queue)
                out.emplace_back(entry.first, sample);
            entry.second->queue.clear();
        }
        return out;
    }

    size_t Dropped()
    {
        CAutoLock lock(m_mutex);
        size_t nTotal = 0;
        for (const auto& entry : m_channels)
            nTotal += entry.second->nDropped;
        return nTotal;
    }

private:
    CMutex m_mutex;
    std::map<std::string, std::unique_ptr<SChannel>> m_channels;
};

void CPublisher::Publish(uint64_t uStampUs, double dValue)
{
    SSample sample;
    sample.uStampUs = uStampUs;
    sample.dValue = dValue;
    m_rHub.Append(*m_pChannel, sample);
}

} // namespace rover

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace Aulos {

enum class PcmError : int {
    None = 0,
    DeviceLost = -19,
    Busy = -16,
    BadHandle = -9,
};

inline const char *pcmErrorText(PcmError error)
{
    switch (error) {
    case PcmError::None:       return "no error";
    case PcmError::DeviceLost: return "device lost";
    case PcmError::Busy:       return "device busy";
    case PcmError::BadHandle:  return "bad handle";
    }
    return "unknown error";
}

void logWarning(const char *where, PcmError error)
{
    std::fprintf(stderr, "aulos: %s: %s\n", where, pcmErrorText(error));
}

struct RingHandle
{
    std::uint32_t id = 0;
    float *samples = nullptr;
    std::size_t frames = 0;
};

// Implemented once per platform backend (ALSA, CoreAudio, WASAPI).
class AbstractPcmDevice
{
public:
    virtual ~AbstractPcmDevice() = default;

    virtual PcmError mapRing(std::size_t frames, RingHandle *out) = 0;
    virtual PcmError unmapRing(const RingHandle &ring) = 0;
    virtual PcmError start() = 0;
    virtual PcmError stop() = 0;
    virtual std::size_t available() const = 0;
};

class CaptureStream
{
public:
    explicit CaptureStream(AbstractPcmDevice *device) : m_device(device) {}
    ~CaptureStream();

    CaptureStream(const CaptureStream &) = delete;
    CaptureStream &operator=(const CaptureStream &) = delete;

    bool open(std::size_t framesPerRing);
    std::size_t read(std::vector<float> *destination);
    PcmError lastError() const { return m_lastError; }

private:
    static constexpr std::size_t RingCount = 2;

    AbstractPcmDevice *m_device;
    std::array<RingHandle, RingCount> m_rings{};
    std::size_t m_mapped = 0;
    std::size_t m_current = 0;
    bool m_running = false;
    PcmError m_lastError = PcmError::None;
};

bool CaptureStream::open(std::size_t framesPerRing)
{
    if (m_running)
        return true;

    while (m_mapped < RingCount) {
        m_lastError = m_device->mapRing(framesPerRing, &m_rings[m_mapped]);
        if (m_lastError != PcmError::None) {
            logWarning("mapRing", m_lastError);
            return false;
        }
        ++m_mapped;
    }

    m_lastError = m_device->start();
    m_running = m_lastError == PcmError::None;
    if (!m_running)
        logWarning("start", m_lastError);
    return m_running;
}

std::size_t CaptureStream::read(std::vector<float> *destination)
{
    if (!m_running)
        return 0;

    const RingHandle &ring = m_rings[m_current];
    if (m_device->available() < ring.frames)
        return 0;

    destination->insert(destination->end(), ring.samples, ring.samples + ring.frames);
    m_current = (m_current + 1) % RingCount;
    return ring.frames;
}

CaptureStream::~CaptureStream()
{
    if (m_running) {
        const PcmError stopped = m_device->stop();
        if (stopped != PcmError::None)
            logWarning("stop", stopped);
    }

    for (std::size_t i = 0; i < m_mapped; ++i) {
        const PcmError unmapped = m_device->unmapRing(m_rings[i]);
        if (unmapped != PcmError::None)
            logWarning("unmapRing", unmapped);
    }
}

} // namespace Aulos

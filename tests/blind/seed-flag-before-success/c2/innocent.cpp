#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace Sonata {

struct AudioFormat
{
    int sampleRate = 48000;
    int channelCount = 2;
    int bytesPerSample = 2;

    int bytesPerFrame() const { return channelCount * bytesPerSample; }
};

class AudioDriver
{
public:
    virtual ~AudioDriver() = default;

    // Returns a handle, or -1 while another client owns the device.
    virtual int openDevice(const std::string &deviceName, const AudioFormat &format) = 0;
    virtual bool startStream(int handle, int periodFrames) = 0;
    virtual std::ptrdiff_t writeStream(int handle, const uint8_t *data, std::size_t size) = 0;
    virtual void closeDevice(int handle) = 0;
};

class AudioOutput
{
public:
    enum Error { NoError, OpenError, StartError, IOError };

    AudioOutput(std::shared_ptr<AudioDriver> driver, std::string deviceName, AudioFormat format)
        : m_driver(std::move(driver)), m_deviceName(std::move(deviceName)), m_format(format)
    {
    }

    ~AudioOutput()
    {
        if (m_stream.handle >= 0)
            m_driver->closeDevice(m_stream.handle);
    }

    AudioOutput(const AudioOutput &) = delete;
    AudioOutput &operator=(const AudioOutput &) = delete;

    Error error() const { return m_error; }
    void setVolume(double volume) { m_volume = std::clamp(volume, 0.0, 1.0); }

    // Called by the player every time a decoded block is ready. The player
    // drops the block and comes back with the next one when this returns false.
    bool play(const std::vector<int16_t> &samples)
    {
        if (samples.empty())
            return true;
        if (!prepareStream())
            return false;

        std::vector<int16_t> scaled(samples.size());
        std::transform(samples.begin(), samples.end(), scaled.begin(), [this](int16_t s) {
            return static_cast<int16_t>(s * m_volume);
        });

        const auto *bytes = reinterpret_cast<const uint8_t *>(scaled.data());
        std::size_t remaining = scaled.size() * sizeof(int16_t);
        while (remaining > 0) {
            const std::ptrdiff_t written = m_driver->writeStream(m_stream.handle, bytes, remaining);
            if (written <= 0) {
                m_error = IOError;
                return false;
            }
            bytes += written;
            remaining -= static_cast<std::size_t>(written);
        }
        m_error = NoError;
        return true;
    }

private:
    struct Stream
    {
        int handle = -1;
        int periodFrames = 0;
        bool running = false;
    };

    bool prepareStream()
    {
        if (m_stream.running)
            return true;

        m_stream.periodFrames = m_format.sampleRate / 100;

        const int handle = m_driver->openDevice(m_deviceName, m_format);
        if (handle < 0) {
            m_error = OpenError;
            return false;
        }
        if (!m_driver->startStream(handle, m_stream.periodFrames)) {
            m_driver->closeDevice(handle);
            m_error = StartError;
            return false;
        }

        m_stream.handle = handle;
        m_stream.running = true;
        return true;
    }

    std::shared_ptr<AudioDriver> m_driver;
    std::string m_deviceName;
    AudioFormat m_format;
    Stream m_stream;
    double m_volume = 1.0;
    Error m_error = NoError;
};

} // namespace Sonata

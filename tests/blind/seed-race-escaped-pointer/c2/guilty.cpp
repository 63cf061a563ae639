#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace synth {

struct voice {
    int note = 0;
    float phase = 0.0f;
    float step = 0.0f;
    float gain = 0.0f;
    bool releasing = false;
};

// The host calls the block callback from its own real-time thread between
// start() and stop(); stop() returns once the last callback has finished.
class host_stream {
public:
    using block_callback = std::function<void(float* out, std::size_t frames)>;

    virtual ~host_stream() = default;
    virtual void start(block_callback callback) = 0;
    virtual void stop() = 0;
};

inline float note_frequency(int note)
{
    return 440.0f * std::pow(2.0f, static_cast<float>(note - 69) / 12.0f);
}

class instrument {
public:
    instrument(host_stream& host, float sample_rate)
        : host_(host), sample_rate_(sample_rate)
    {
        auto render = [voices = &voices_, level = &level_](float* out, std::size_t frames) {
            std::fill(out, out + frames, 0.0f);
            const float master = level->load(std::memory_order_relaxed);
            for (voice& v : *voices) {
                for (std::size_t i = 0; i < frames; ++i) {
                    out[i] += master * v.gain * std::sin(v.phase);
                    v.phase = std::fmod(v.phase + v.step, two_pi);
                    if (v.releasing)
                        v.gain *= 0.9995f;
                }
            }
        };
        host_.start(std::move(render));
    }

    ~instrument() { host_.stop(); }

    instrument(const instrument&) = delete;
    instrument& operator=(const instrument&) = delete;

    // MIDI thread.
    void note_on(int note, int velocity)
    {
        const std::lock_guard lock(voices_mutex_);
        drop_silent();
        voice v;
        v.note = note;
        v.step = two_pi * note_frequency(note) / sample_rate_;
        v.gain = static_cast<float>(velocity) / 127.0f;
        voices_.push_back(v);
    }

    // MIDI thread.
    void note_off(int note)
    {
        const std::lock_guard lock(voices_mutex_);
        for (voice& v : voices_) {
            if (v.note == note)
                v.releasing = true;
        }
    }

    // Editor thread.
    std::size_t polyphony() const
    {
        const std::lock_guard lock(voices_mutex_);
        return voices_.size();
    }

    void set_level(float level) { level_.store(std::clamp(level, 0.0f, 1.0f)); }

private:
    static constexpr float two_pi = 6.28318530718f;

    void drop_silent()
    {
        voices_.erase(std::remove_if(voices_.begin(), voices_.end(),
                                     [](const voice& v) { return v.releasing && v.gain < 1e-4f; }),
                      voices_.end());
    }

    host_stream& host_;
    const float sample_rate_;
    std::atomic<float> level_{0.8f};
    mutable std::mutex voices_mutex_;
    std::vector<voice> voices_;
};

// Applies one MIDI channel message to the instrument.
inline bool dispatch(instrument& target, const std::array<unsigned char, 3>& message)
{
    const int status = message[0] & 0xf0;
    if (status == 0x90 && message[2] != 0) {
        target.note_on(message[1] & 0x7f, message[2] & 0x7f);
        return true;
    }
    if (status == 0x80 || status == 0x90) {
        target.note_off(message[1] & 0x7f);
        return true;
    }
    return false;
}

} // namespace synth

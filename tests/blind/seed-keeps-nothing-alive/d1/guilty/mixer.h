#ifndef STUDIO_MIXER_H
#define STUDIO_MIXER_H

#include <cstddef>
#include <vector>

namespace studio {

class Effect
{
public:
    virtual ~Effect() = default;
    virtual void process(float *samples, std::size_t count) = 0;

    void setBypassed(bool bypassed) { mBypassed = bypassed; }
    bool isBypassed() const { return mBypassed; }

private:
    bool mBypassed = false;
};

class Echo : public Effect
{
public:
    Echo(std::size_t delay, float feedback)
        : mFeedback(feedback), mLine(delay == 0 ? 1 : delay, 0.0f)
    {
    }

    void process(float *samples, std::size_t count) override
    {
        for (std::size_t i = 0; i < count; ++i) {
            float &delayed = mLine[mPos];
            samples[i] += mFeedback * delayed;
            delayed = samples[i];
            mPos = (mPos + 1) % mLine.size();
        }
    }

private:
    float mFeedback;
    std::vector<float> mLine;
    std::size_t mPos = 0;
};

class Gain : public Effect
{
public:
    explicit Gain(float factor) : mFactor(factor) {}

    void process(float *samples, std::size_t count) override
    {
        for (std::size_t i = 0; i < count; ++i)
            samples[i] *= mFactor;
    }

    void setFactor(float factor) { mFactor = factor; }
    float factor() const { return mFactor; }

private:
    float mFactor;
};

// Runs its chain of effects over a block of samples.
class Mixer
{
public:
    void append(Effect &effect) { mChain.push_back(&effect); }
    void clear() { mChain.clear(); }
    std::size_t length() const { return mChain.size(); }

    void process(float *samples, std::size_t count)
    {
        for (Effect *effect : mChain) {
            if (!effect->isBypassed())
                effect->process(samples, count);
        }
    }

private:
    std::vector<Effect *> mChain;
};

} // namespace studio

#endif

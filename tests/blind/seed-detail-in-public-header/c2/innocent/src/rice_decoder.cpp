#include <brookside/rice_decoder.hpp>

namespace brookside {

namespace {

// Takes bits out of a byte sequence, the most significant first.
class bit_source {
public:
    bit_source(const std::uint8_t *bytes, std::size_t count) noexcept
        : bytes_(bytes), bit_count_(count * 8) {}

    std::uint32_t take(unsigned width) {
        if (width > bit_count_ - position_)
            throw corrupt_block("block ends early");
        std::uint32_t value = 0;
        for (; width > 0; --width, ++position_)
            value = (value << 1) | ((bytes_[position_ / 8] >> (7 - position_ % 8)) & 1u);
        return value;
    }

    std::uint32_t take_unary() {
        std::uint32_t zeros = 0;
        while (take(1) == 0)
            ++zeros;
        return zeros;
    }

private:
    const std::uint8_t *bytes_;
    std::size_t bit_count_;
    std::size_t position_ = 0;
};

std::int32_t unfold(std::uint32_t folded) noexcept
{
    const auto half = static_cast<std::int32_t>(folded >> 1);
    return (folded & 1u) ? -half - 1 : half;
}

} // namespace

pcm_block decode_rice(const std::vector<std::uint8_t> &block,
                      const decoder_options &options)
{
    bit_source bits(block.data(), block.size());

    const std::size_t count = bits.take(16);
    const unsigned parameter = bits.take(4);
    if (count > options.max_samples)
        throw corrupt_block("too many samples");

    pcm_block result;
    result.sample_rate = options.sample_rate;
    result.samples.reserve(count);

    std::int32_t previous = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t quotient = bits.take_unary();
        if (quotient > (0x1ffffu >> parameter))
            throw corrupt_block("difference out of range");
        const std::uint32_t folded = (quotient << parameter) | bits.take(parameter);
        previous += unfold(folded);
        if (previous < INT16_MIN || previous > INT16_MAX)
            throw corrupt_block("sample out of range");
        result.samples.push_back(static_cast<std::int16_t>(previous));
    }
    return result;
}

} // namespace brookside

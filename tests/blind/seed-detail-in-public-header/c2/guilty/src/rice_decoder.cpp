#include <brookside/rice_decoder.hpp>

namespace brookside {

namespace {

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

#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <brookside/pcm.hpp>

namespace brookside {

// Thrown when the bits of a block make no sense.
class corrupt_block : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct decoder_options {
    std::uint32_t sample_rate = 44100;
    std::size_t max_samples = 0xffff;
};

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

// Decodes a block: 16 bits of sample count, 4 bits of Rice parameter, then
// the first order differences of the samples.
pcm_block decode_rice(const std::vector<std::uint8_t> &block,
                      const decoder_options &options = {});

} // namespace brookside

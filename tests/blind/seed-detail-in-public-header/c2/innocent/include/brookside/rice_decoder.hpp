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

// Decodes a block: 16 bits of sample count, 4 bits of Rice parameter, then
// the first order differences of the samples.
pcm_block decode_rice(const std::vector<std::uint8_t> &block,
                      const decoder_options &options = {});

} // namespace brookside

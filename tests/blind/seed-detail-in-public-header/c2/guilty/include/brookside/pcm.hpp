#pragma once

#include <cstdint>
#include <vector>

namespace brookside {

struct pcm_block {
    std::uint32_t sample_rate = 0;
    std::vector<std::int16_t> samples;
};

} // namespace brookside

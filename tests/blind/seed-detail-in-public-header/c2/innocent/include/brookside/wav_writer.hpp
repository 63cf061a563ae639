#pragma once

#include <ostream>

#include <brookside/pcm.hpp>

namespace brookside {

// Writes a mono 16 bit RIFF file.
void write_wav(std::ostream &out, const pcm_block &block);

} // namespace brookside

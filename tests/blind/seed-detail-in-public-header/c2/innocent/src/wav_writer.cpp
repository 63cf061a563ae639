#include <brookside/wav_writer.hpp>

#include <cstdint>

namespace brookside {

namespace {

void put(std::ostream &out, std::uint32_t value, int bytes)
{
    for (; bytes > 0; --bytes, value >>= 8)
        out.put(static_cast<char>(value & 0xffu));
}

} // namespace

void write_wav(std::ostream &out, const pcm_block &block)
{
    const auto data_size = static_cast<std::uint32_t>(block.samples.size() * 2);
    out.write("RIFF", 4);
    put(out, 36 + data_size, 4);
    out.write("WAVEfmt ", 8);
    put(out, 16, 4);
    put(out, 1, 2);
    put(out, 1, 2);
    put(out, block.sample_rate, 4);
    put(out, block.sample_rate * 2, 4);
    put(out, 2, 2);
    put(out, 16, 2);
    out.write("data", 4);
    put(out, data_size, 4);
    for (std::int16_t sample : block.samples)
        put(out, static_cast<std::uint16_t>(sample), 2);
}

} // namespace brookside

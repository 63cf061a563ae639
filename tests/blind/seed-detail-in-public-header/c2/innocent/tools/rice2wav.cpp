#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include <brookside/rice_decoder.hpp>
#include <brookside/wav_writer.hpp>

int main(int argc, char **argv)
{
    if (argc != 3) {
        std::cerr << "usage: rice2wav <block> <wav>\n";
        return 2;
    }
    std::ifstream in(argv[1], std::ios::binary);
    if (!in) {
        std::cerr << "cannot open " << argv[1] << '\n';
        return 1;
    }
    const std::vector<std::uint8_t> block{std::istreambuf_iterator<char>(in),
                                          std::istreambuf_iterator<char>()};
    try {
        const brookside::pcm_block pcm = brookside::decode_rice(block);
        std::ofstream out(argv[2], std::ios::binary);
        brookside::write_wav(out, pcm);
        return out.flush() ? 0 : 1;
    } catch (const brookside::corrupt_block &error) {
        std::cerr << "rice2wav: " << error.what() << '\n';
        return 1;
    }
}

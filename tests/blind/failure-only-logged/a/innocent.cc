#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Stage {
  std::vector<uint32_t> words;
  uint32_t outputs = 0;
};

struct Program {
  std::vector<uint32_t> words;
};

class ShaderLibrary {
 public:
  std::unique_ptr<Program> Build(const std::string& vertex, const std::string& fragment) {
    std::unique_ptr<Stage> vs = Compile(vertex);
    if (!vs) {
      std::fprintf(stderr, "cannot compile vertex stage (%zu bytes)\n", vertex.size());
      return nullptr;
    }
    std::unique_ptr<Stage> fs = Compile(fragment);
    if (!fs) {
      std::fprintf(stderr, "cannot compile fragment stage (%zu bytes)\n", fragment.size());
      return nullptr;
    }
    return Link(*vs, *fs);
  }

 private:
  static std::unique_ptr<Stage> Compile(const std::string& source) {
    if (source.find("void main") == std::string::npos) return nullptr;
    auto stage = std::make_unique<Stage>();
    for (char c : source) {
      if (c == ';') ++stage->outputs;
      stage->words.push_back(static_cast<unsigned char>(c));
    }
    return stage;
  }

  static std::unique_ptr<Program> Link(const Stage& first, const Stage& second) {
    auto program = std::make_unique<Program>();
    program->words.reserve(first.words.size() + second.words.size() + 1);
    program->words.push_back(first.outputs);
    program->words.insert(program->words.end(), first.words.begin(), first.words.end());
    program->words.insert(program->words.end(), second.words.begin(), second.words.end());
    return program;
  }
};

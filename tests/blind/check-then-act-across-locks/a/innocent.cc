#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

struct Program {
  std::vector<uint32_t> words;
  uint64_t hash = 0;
};

class ShaderCompiler {
 public:
  std::unique_ptr<Program> Compile(const std::string& source) const {
    auto program = std::make_unique<Program>();
    uint64_t h = 14695981039346656037ull;
    for (unsigned char c : source) {
      h = (h ^ c) * 1099511628211ull;
      program->words.push_back(static_cast<uint32_t>(h >> 32));
    }
    program->hash = h;
    return program;
  }
};

class ShaderCache {
 public:
  const Program* Get(const std::string& source) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      auto it = programs_.find(source);
      if (it != programs_.end()) return it->second.get();
    }

    std::unique_ptr<Program> program = compiler_.Compile(source);

    std::lock_guard<std::mutex> lock(mutex_);
    return programs_.try_emplace(source, std::move(program)).first->second.get();
  }

  std::size_t size() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return programs_.size();
  }

 private:
  ShaderCompiler compiler_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Program>> programs_;
};

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace vm {

struct OpInfo {
  std::string name;
  std::uint8_t operands = 0;
};

using OpTable = std::unordered_map<std::uint8_t, OpInfo>;

struct Instruction {
  const OpInfo *info = nullptr;
  std::vector<std::uint8_t> operands;
};

// Decodes bytecode; one decoder serves all compilation threads.
class Decoder {
 public:
  explicit Decoder(std::string_view dialect) : dialect_(dialect) {}

  std::vector<Instruction> Decode(const std::vector<std::uint8_t> &code) const {
    const OpTable &table = opcodes();
    std::vector<Instruction> out;
    for (std::size_t at = 0; at < code.size();) {
      auto it = table.find(code[at++]);
      if (it == table.end()) throw std::runtime_error("unknown opcode");
      const OpInfo &info = it->second;
      if (code.size() - at < info.operands) {
        throw std::runtime_error("truncated operands of " + info.name);
      }
      auto first = code.begin() + static_cast<std::ptrdiff_t>(at);
      out.push_back({&info, {first, first + info.operands}});
      at += info.operands;
    }
    return out;
  }

 private:
  const OpTable &opcodes() const {
    std::call_once(opcodes_once_, [this] {
      opcodes_ = std::make_unique<OpTable>(BuildTable());
    });
    return *opcodes_;
  }

  OpTable BuildTable() const {
    OpTable table = {{0x00, {"nop", 0}}, {0x01, {"push", 1}}, {0x02, {"add", 0}}};
    if (dialect_ == "wide") table[0x10] = OpInfo{"push4", 4};
    return table;
  }

  const std::string dialect_;
  mutable std::once_flag opcodes_once_;
  mutable std::unique_ptr<OpTable> opcodes_;
};

// Decodes every function of a module, each on its own thread.
void DecodeAll(const Decoder &decoder,
               const std::vector<std::vector<std::uint8_t>> &functions,
               std::vector<std::vector<Instruction>> &out) {
  out.resize(functions.size());
  std::vector<std::future<void>> tasks;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    tasks.push_back(std::async(std::launch::async, [&, i] {
      out[i] = decoder.Decode(functions[i]);
    }));
  }
  for (std::future<void> &task : tasks) task.get();
}

}  // namespace vm

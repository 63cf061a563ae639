//===- StencilJIT.cpp - Code cache of the stencil compiler ----------------===//

#include <cassert>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace stencil {

/// An executable mapping holding one compiled kernel.
class CodeBlock {
  void *Base;
  size_t Size;

  CodeBlock(void *Base, size_t Size) : Base(Base), Size(Size) {}

public:
  CodeBlock(const CodeBlock &) = delete;
  CodeBlock &operator=(const CodeBlock &) = delete;
  ~CodeBlock() { ::munmap(Base, Size); }

  static std::unique_ptr<CodeBlock> create(const std::vector<uint8_t> &Bytes) {
    if (Bytes.empty())
      return nullptr;
    void *P = ::mmap(nullptr, Bytes.size(), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (P == MAP_FAILED)
      return nullptr;
    std::memcpy(P, Bytes.data(), Bytes.size());
    if (::mprotect(P, Bytes.size(), PROT_READ | PROT_EXEC) != 0) {
      ::munmap(P, Bytes.size());
      return nullptr;
    }
    return std::unique_ptr<CodeBlock>(new CodeBlock(P, Bytes.size()));
  }

  void run(double *Out, const double *In, size_t N) const {
    using KernelFn = void (*)(double *, const double *, size_t);
    reinterpret_cast<KernelFn>(Base)(Out, In, N);
  }
};

struct StencilSpec {
  std::vector<int> Offsets;
  std::vector<double> Weights;

  std::string fingerprint() const {
    assert(Offsets.size() == Weights.size());
    std::string Text;
    for (size_t I = 0; I != Offsets.size(); ++I) {
      uint64_t Bits;
      std::memcpy(&Bits, &Weights[I], sizeof(Bits));
      Text += std::to_string(Offsets[I]) + ':' + std::to_string(Bits) + ';';
    }
    return Text;
  }
};

class Assembler {
public:
  virtual ~Assembler() = default;
  /// Thread-safe; an empty result means that the spec is not supported.
  virtual std::vector<uint8_t> assemble(const StencilSpec &Spec) const = 0;
};

/// Shared by all solver threads. The blocks that get() returns stay valid as
/// long as the cache does.
class CodeCache {
  const Assembler &Asm;
  std::mutex Mutex;
  std::map<std::string, std::unique_ptr<CodeBlock>> Blocks;

public:
  explicit CodeCache(const Assembler &Asm) : Asm(Asm) {}

  const CodeBlock *get(const StencilSpec &Spec) {
    std::string Key = Spec.fingerprint();
    {
      std::lock_guard<std::mutex> Guard(Mutex);
      auto It = Blocks.find(Key);
      if (It != Blocks.end())
        return It->second.get();
    }

    // Assembling takes tens of milliseconds, so the other threads go on.
    std::unique_ptr<CodeBlock> Block = CodeBlock::create(Asm.assemble(Spec));
    if (!Block)
      return nullptr;

    std::lock_guard<std::mutex> Guard(Mutex);
    std::unique_ptr<CodeBlock> &Slot = Blocks[Key];
    Slot = std::move(Block);
    return Slot.get();
  }

  size_t size() {
    std::lock_guard<std::mutex> Guard(Mutex);
    return Blocks.size();
  }
};

bool applyStencil(CodeCache &Cache, const StencilSpec &Spec, unsigned Sweeps,
                  std::vector<double> &Field) {
  const CodeBlock *Code = Cache.get(Spec);
  if (!Code)
    return false;
  std::vector<double> Next(Field.size());
  for (unsigned S = 0; S != Sweeps; ++S) {
    Code->run(Next.data(), Field.data(), Field.size());
    Field.swap(Next);
  }
  return true;
}

} // namespace stencil

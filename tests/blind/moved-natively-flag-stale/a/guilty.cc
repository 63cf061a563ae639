#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace native {

struct Block;

struct Inst {
  std::string opcode;
  Block* block = nullptr;
};

struct Block {
  Block() = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    for (Inst* inst : insts) delete inst;
  }
  void Link(Inst* inst, Inst* before) {
    auto at = before ? std::find(insts.begin(), insts.end(), before) : insts.end();
    insts.insert(at, inst);
    inst->block = this;
  }
  std::vector<Inst*> insts;
};

}  // namespace native

class InstWrapper {
 public:
  explicit InstWrapper(std::string opcode)
      : inst_(new native::Inst{std::move(opcode), nullptr}), owned_(true) {}
  InstWrapper(const InstWrapper&) = delete;
  InstWrapper& operator=(const InstWrapper&) = delete;
  ~InstWrapper() {
    if (owned_) delete inst_;
  }
 private:
  friend class Builder;
  native::Inst* inst_;
  bool owned_;
};

class Builder {
 public:
  explicit Builder(native::Block* block) : block_(block) {}

  void Append(InstWrapper& inst) {
    RequireDetached(inst);
    block_->Link(inst.inst_, nullptr);
    inst.owned_ = false;
  }

  void InsertBefore(InstWrapper& inst, const InstWrapper& anchor) {
    RequireDetached(inst);
    if (!anchor.inst_->block) throw std::logic_error("anchor is not in a block");
    anchor.inst_->block->Link(inst.inst_, anchor.inst_);
  }

 private:
  static void RequireDetached(const InstWrapper& inst) {
    if (inst.inst_->block) throw std::logic_error("instruction is in a block already");
  }

  native::Block* block_;
};

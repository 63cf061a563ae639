#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

extern "C" {
struct ir_op;
ir_op *ir_op_create(const char *name);
void ir_op_erase(ir_op *op);
const char *ir_op_name(const ir_op *op);
}

namespace bindings {

class OpHandle;

// All operations that Python currently has a handle of, by native address.
class LiveOps {
 public:
  std::shared_ptr<OpHandle> Wrap(ir_op *op);
  void Forget(ir_op *op) { live_ops_.erase(op); }
  std::size_t size() const { return live_ops_.size(); }

 private:
  std::unordered_map<ir_op *, std::weak_ptr<OpHandle>> live_ops_;
};

// Operations belong to their module; a handle never destroys one by itself.
class OpHandle {
 public:
  OpHandle(LiveOps &live, ir_op *op) : live_(live), op_(op) {}
  OpHandle(const OpHandle &) = delete;
  OpHandle &operator=(const OpHandle &) = delete;
  ~OpHandle() {
    if (valid_) live_.Forget(op_);
  }

  bool valid() const { return valid_; }

  std::string Name() const {
    CheckValid();
    return ir_op_name(op_);
  }

  // Erases the operation from the IR; the handle is of no use afterwards.
  void Erase() {
    CheckValid();
    live_.Forget(op_);
    ir_op_erase(op_);
    valid_ = false;
  }

 private:
  void CheckValid() const {
    if (!valid_) throw std::runtime_error("the operation has been erased");
  }

  LiveOps &live_;
  ir_op *op_;
  bool valid_ = true;
};

std::shared_ptr<OpHandle> LiveOps::Wrap(ir_op *op) {
  std::weak_ptr<OpHandle> &entry = live_ops_[op];
  std::shared_ptr<OpHandle> handle = entry.lock();
  if (!handle) {
    handle = std::make_shared<OpHandle>(*this, op);
    entry = handle;
  }
  return handle;
}

std::shared_ptr<OpHandle> CreateOp(LiveOps &live, const std::string &name) {
  ir_op *op = ir_op_create(name.c_str());
  if (!op) throw std::invalid_argument("unknown operation " + name);
  return live.Wrap(op);
}

}  // namespace bindings

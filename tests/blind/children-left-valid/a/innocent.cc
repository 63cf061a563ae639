#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

struct Op {
  std::string name;
  Op* parent = nullptr;
  std::vector<std::unique_ptr<Op>> body;
};

class PyOp;

struct Context {
  Op root{"module", nullptr, {}};
  std::unordered_map<Op*, PyOp*> live;
};

class PyOp {
 public:
  static std::shared_ptr<PyOp> For(Context* context, Op* op) {
    auto it = context->live.find(op);
    if (it != context->live.end()) return it->second->self_.lock();
    std::shared_ptr<PyOp> handle(new PyOp(context, op));
    handle->self_ = handle;
    context->live.emplace(op, handle.get());
    return handle;
  }

  ~PyOp() {
    if (valid_) context_->live.erase(op_);
  }

  const std::string& Name() const { return Get()->name; }

  std::shared_ptr<PyOp> Append(std::string name) {
    auto child = std::make_unique<Op>();
    child->name = std::move(name);
    child->parent = Get();
    Op* raw = child.get();
    op_->body.push_back(std::move(child));
    return For(context_, raw);
  }

  void Erase() {
    Op* parent = Get()->parent;
    if (!parent) throw std::logic_error("cannot erase the top-level operation");
    Invalidate(context_, op_);
    auto& body = parent->body;
    body.erase(std::find_if(body.begin(), body.end(),
                            [this](const auto& child) { return child.get() == op_; }));
  }

 private:
  PyOp(Context* context, Op* op) : context_(context), op_(op) {}
  static void Invalidate(Context* context, Op* op) {
    for (auto& child : op->body) Invalidate(context, child.get());
    auto it = context->live.find(op);
    if (it == context->live.end()) return;
    it->second->valid_ = false;
    context->live.erase(it);
  }
  Op* Get() const {
    if (!valid_) throw std::runtime_error("the operation has been invalidated");
    return op_;
  }

  Context* context_;
  Op* op_;
  bool valid_ = true;
  std::weak_ptr<PyOp> self_;
};

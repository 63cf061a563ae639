#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

struct Function {
  std::string name;
  std::vector<std::string> body;
};

struct Module {
  std::string name;
  std::vector<Function> functions;
};

class IndentWriter {
 public:
  explicit IndentWriter(std::ostream& os) : os_(os) {}

  void line(std::string_view text) {
    for (int i = 0; i < depth_; ++i) os_ << "  ";
    os_ << text << '\n';
  }
  void open(std::string_view head) {
    line(head);
    ++depth_;
  }
  void close() {
    --depth_;
    line("}");
  }

 private:
  std::ostream& os_;
  int depth_ = 0;
};

class ModulePrinter {
 public:
  void print(const Module& module, std::ostream& os) {
    if (!writer_) {
      writer_ = std::make_unique<IndentWriter>(os);
    }
    writer_->open("module @" + module.name + " {");
    for (const Function& fn : module.functions) printFunction(fn);
    writer_->close();
  }

 private:
  void printFunction(const Function& fn) {
    writer_->open("func @" + fn.name + " {");
    for (const std::string& op : fn.body) writer_->line(op);
    writer_->close();
  }

  std::unique_ptr<IndentWriter> writer_;
};

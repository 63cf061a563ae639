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
    IndentWriter writer(os);
    writer.open("module @" + module.name + " {");
    for (const Function& fn : module.functions) printFunction(fn, writer);
    writer.close();
  }

 private:
  static void printFunction(const Function& fn, IndentWriter& writer) {
    writer.open("func @" + fn.name + " {");
    for (const std::string& op : fn.body) writer.line(op);
    writer.close();
  }
};

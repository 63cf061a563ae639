#include <cstdint>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace compiler {

struct Type {
  std::string spelling;
  uint32_t id;
};

class TypeContext {
 public:
  static TypeContext& Get();

  const Type* Intern(const std::string& spelling) {
    std::lock_guard<std::mutex> hold(lock_);
    auto [it, added] = types_.try_emplace(spelling);
    if (added) it->second = Type{spelling, next_++};
    return &it->second;
  }

 private:
  TypeContext() = default;

  std::mutex lock_;
  uint32_t next_ = 1;
  std::unordered_map<std::string, Type> types_;
};

TypeContext& TypeContext::Get() {
  static TypeContext* instance = nullptr;
  if (instance == nullptr) {
    instance = new TypeContext();
  }
  return *instance;
}

struct Function {
  std::string name;
  std::vector<std::string> operands;
};

std::size_t CountIntegers(const Function& fn) {
  const Type* i32 = TypeContext::Get().Intern("i32");
  std::size_t count = 0;
  for (const std::string& operand : fn.operands) {
    if (TypeContext::Get().Intern(operand) == i32) ++count;
  }
  return count;
}

std::vector<std::size_t> CompileAll(const std::vector<Function>& functions) {
  std::vector<std::future<std::size_t>> jobs;
  for (const Function& fn : functions) {
    jobs.push_back(std::async(std::launch::async, CountIntegers, std::cref(fn)));
  }
  std::vector<std::size_t> counts;
  for (auto& job : jobs) counts.push_back(job.get());
  return counts;
}

}  // namespace compiler

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace synth {

class Patch {
 public:
  Patch(std::string name, int voices) : name_(std::move(name)), voices_(voices) {}
  virtual ~Patch() = default;

  const std::string &name() const { return name_; }
  int voices() const { return voices_; }

 private:
  std::string name_;
  int voices_;
};

/* Sequencer tracks hold the Patch pointers that find() gives out. */
class PatchBank {
 public:
  PatchBank() = default;
  PatchBank(const PatchBank &) = delete;
  PatchBank &operator=(const PatchBank &) = delete;

  ~PatchBank() {
    for (auto &[program, patch] : patches_) delete patch;
  }

  Patch *add(int program, std::unique_ptr<Patch> patch) {
    if (patches_.count(program)) {
      throw std::invalid_argument("program " + std::to_string(program) + " is taken");
    }
    return place(program, std::move(patch));
  }

  Patch *find(int program) const {
    const auto it = patches_.find(program);
    return it == patches_.end() ? nullptr : it->second;
  }

  /* Takes over the patches of another bank, shifted by a number of programs. */
  std::size_t merge(PatchBank &other, int shift) {
    std::size_t moved = 0;
    for (auto it = other.patches_.begin(); it != other.patches_.end();) {
      if (patches_.count(it->first + shift)) {
        ++it;
        continue;
      }
      std::unique_ptr<Patch> patch(it->second);
      const int program = it->first + shift;
      it = other.patches_.erase(it);
      place(program, std::move(patch));
      ++moved;
    }
    return moved;
  }

  std::size_t size() const { return patches_.size(); }

 private:
  Patch *place(int program, std::unique_ptr<Patch> patch) {
    return patches_[program] = patch.release();
  }

  std::map<int, Patch *> patches_;
};

}  // namespace synth

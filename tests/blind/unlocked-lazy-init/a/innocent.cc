#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

class Dictionary {
 public:
  using Index = std::unordered_set<std::string>;

  explicit Dictionary(std::vector<std::string> words) : words_(std::move(words)) {}

  bool Contains(const std::string& word) const { return index().count(word) != 0; }

 private:
  const Index& index() const {
    std::call_once(index_once_, [this] { index_ = BuildIndex(); });
    return *index_;
  }

  std::unique_ptr<Index> BuildIndex() const {
    auto built = std::make_unique<Index>();
    built->reserve(words_.size());
    for (const std::string& word : words_) built->insert(word);
    return built;
  }

  std::vector<std::string> words_;
  mutable std::once_flag index_once_;
  mutable std::unique_ptr<Index> index_;
};

std::vector<char> SpellCheck(const Dictionary& dictionary, const std::vector<std::string>& text,
                             std::size_t thread_count) {
  std::vector<char> wrong(text.size(), 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < thread_count; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < text.size(); i += thread_count) {
        wrong[i] = dictionary.Contains(text[i]) ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

#include <leveldb/c.h>

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

class Store {
 public:
  explicit Store(const std::string& path) : options_(leveldb_options_create()) {
    leveldb_options_set_create_if_missing(options_, 1);
    char* error = nullptr;
    db_ = leveldb_open(options_, path.c_str(), &error);
    if (error != nullptr) {
      const std::string message = error;
      leveldb_free(error);
      leveldb_options_destroy(options_);
      throw std::runtime_error(message);
    }
    write_ = leveldb_writeoptions_create();
  }
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store() {
    leveldb_writeoptions_destroy(write_);
    leveldb_close(db_);
    leveldb_options_destroy(options_);
  }

  bool Put(const std::string& key, const std::string& value) {
    char* error = nullptr;
    leveldb_put(db_, write_, key.data(), key.size(), value.data(), value.size(), &error);
    if (error != nullptr) {
      leveldb_free(error);
      return false;
    }
    ++puts_;
    return true;
  }

  std::size_t PutAll(const std::vector<std::pair<std::string, std::string>>& entries) {
    std::size_t stored = 0;
    for (const auto& [key, value] : entries) {
      if (Put(key, value)) ++stored;
    }
    return stored;
  }

  std::size_t puts() const { return puts_; }

 private:
  leveldb_options_t* options_;
  leveldb_t* db_ = nullptr;
  leveldb_writeoptions_t* write_ = nullptr;
  std::size_t puts_ = 0;
};

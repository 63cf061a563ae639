#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace fs = std::filesystem;

namespace quarry {

/// Key of a compiled module: a digest of its sources and options.
using ModuleHash = std::string;

/// Stores object files of modules that were compiled before.
class ArtifactCache {
  fs::path Root;

  fs::path pathFor(const ModuleHash &Hash) const {
    return Root / Hash.substr(0, 2) / (Hash + ".o");
  }

public:
  ArtifactCache();

  const fs::path &root() const { return Root; }

  std::optional<std::string> load(const ModuleHash &Hash) const {
    std::ifstream In(pathFor(Hash), std::ios::binary);
    if (!In)
      return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(In),
                       std::istreambuf_iterator<char>());
  }

  bool store(const ModuleHash &Hash, const std::string &Object) const {
    const fs::path Final = pathFor(Hash);
    std::error_code EC;
    fs::create_directories(Final.parent_path(), EC);
    if (EC)
      return false;
    const fs::path Partial = Final.string() + ".tmp";
    {
      std::ofstream Out(Partial, std::ios::binary);
      Out << Object;
      if (!Out.flush())
        return false;
    }
    fs::rename(Partial, Final, EC);
    return !EC;
  }
};

ArtifactCache::ArtifactCache() {
  const char *Dir = std::getenv("QUARRY_CACHE_DIR");
  Root = Dir && *Dir ? fs::path(Dir) : fs::temp_directory_path() / "quarry";
}

/// Deletes artifacts that have not been written for a while.
class CacheJanitor {
  fs::path Root;
  std::chrono::hours MaxAge;

public:
  explicit CacheJanitor(std::chrono::hours Age);

  unsigned sweep() const {
    unsigned NumRemoved = 0;
    std::error_code EC;
    const auto Oldest = fs::file_time_type::clock::now() - MaxAge;
    fs::recursive_directory_iterator It(Root, EC), End;
    while (!EC && It != End) {
      std::error_code FileEC;
      const fs::path File = It->path();
      const bool Stale = It->is_regular_file(FileEC) &&
                         fs::last_write_time(File, FileEC) < Oldest;
      It.increment(EC);
      if (!FileEC && Stale && fs::remove(File, FileEC))
        ++NumRemoved;
    }
    return NumRemoved;
  }
};

CacheJanitor::CacheJanitor(std::chrono::hours Age) : MaxAge(Age) {
  const char *Dir = std::getenv("QUARRY_CACHE_DIR");
  Root = Dir && *Dir ? fs::path(Dir) : fs::temp_directory_path() / "quarry";
}

/// Compiles modules, reusing what earlier runs have left behind.
class BuildSession {
  ArtifactCache Cache;
  CacheJanitor Janitor;

public:
  BuildSession() : Cache(), Janitor(std::chrono::hours(24 * 14)) {}

  template <typename CompileFn>
  std::string getObject(const ModuleHash &Hash, CompileFn Compile) {
    if (auto Cached = Cache.load(Hash))
      return *std::move(Cached);
    std::string Object = Compile();
    Cache.store(Hash, Object);
    return Object;
  }

  unsigned finish() const { return Janitor.sweep(); }
};

} // namespace quarry

#include <cstddef>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct Connection {
  explicit Connection(std::string dsn) : dsn(std::move(dsn)) {}
  std::string dsn;
  std::size_t queries = 0;
};

class ConnectionPool : public std::enable_shared_from_this<ConnectionPool> {
  struct Private {};

 public:
  static std::shared_ptr<ConnectionPool> Create(const std::string& dsn, std::size_t size) {
    return std::make_shared<ConnectionPool>(Private(), dsn, size);
  }

  class Lease {
   public:
    Lease(std::shared_ptr<ConnectionPool> pool, Connection* conn)
        : pool_(std::move(pool)), conn_(conn) {}
    Lease(Lease&& other) noexcept
        : pool_(std::move(other.pool_)), conn_(std::exchange(other.conn_, nullptr)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (pool_) pool_->Return(conn_);
    }
    Connection* operator->() const { return conn_; }

   private:
    std::shared_ptr<ConnectionPool> pool_;
    Connection* conn_;
  };

  ConnectionPool(Private, const std::string& dsn, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      all_.push_back(std::make_unique<Connection>(dsn));
      idle_.push_back(all_.back().get());
    }
  }

  Lease Acquire() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (idle_.empty()) throw std::runtime_error("no idle connection");
    Connection* conn = idle_.back();
    idle_.pop_back();
    return Lease(shared_from_this(), conn);
  }

 private:
  void Return(Connection* conn) {
    std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(conn);
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> all_;
  std::vector<Connection*> idle_;
};

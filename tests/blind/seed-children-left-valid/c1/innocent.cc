// Python bindings for the portfolio service.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace py = pybind11;

extern "C" {
typedef struct pf_book pf_book;
typedef struct pf_position pf_position;
pf_book* pf_book_create(const char* account);
// Frees the book and the positions in it.
void pf_book_destroy(pf_book* book);
pf_position* pf_book_open(pf_book* book, const char* symbol, int64_t quantity);
int64_t pf_book_close(pf_book* book, pf_position* position);  // frees the position
int64_t pf_position_mark(const pf_position* position);
int pf_position_resize(pf_position* position, int64_t quantity);
}

namespace trading {

void ThrowIfError(const absl::Status& status) {
  if (status.ok()) return;
  if (absl::IsInvalidArgument(status)) {
    throw py::value_error(std::string(status.message()));
  }
  throw std::runtime_error(std::string(status.message()));
}

class Portfolio;

class Position {
 public:
  Position(std::shared_ptr<Portfolio> portfolio, pf_position* native, std::string symbol)
      : portfolio_(std::move(portfolio)), native_(native), symbol_(std::move(symbol)) {}

  int64_t Mark() const {
    ThrowIfError(CheckValid());
    return pf_position_mark(native_);
  }

  void Resize(int64_t quantity) {
    ThrowIfError(CheckValid());
    if (pf_position_resize(native_, quantity) != 0) {
      ThrowIfError(absl::InvalidArgumentError(absl::StrCat("cannot hold ", quantity)));
    }
  }

  absl::Status CheckValid() const {
    if (valid_) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat("position in ", symbol_, " is closed"));
  }

  void Invalidate() { valid_ = false; }
  pf_position* native() const { return native_; }
  const std::string& symbol() const { return symbol_; }

 private:
  std::shared_ptr<Portfolio> portfolio_;
  pf_position* native_;
  std::string symbol_;
  bool valid_ = true;
};

class Portfolio : public std::enable_shared_from_this<Portfolio> {
 public:
  explicit Portfolio(const std::string& account) : book_(pf_book_create(account.c_str())) {
    if (book_ == nullptr) throw std::bad_alloc();
  }
  ~Portfolio() {
    if (valid_) pf_book_destroy(book_);
  }
  Portfolio(const Portfolio&) = delete;
  Portfolio& operator=(const Portfolio&) = delete;

  std::shared_ptr<Position> Open(const std::string& symbol, int64_t quantity) {
    ThrowIfError(CheckValid());
    pf_position* native = pf_book_open(book_, symbol.c_str(), quantity);
    if (native == nullptr) {
      ThrowIfError(absl::InvalidArgumentError(absl::StrCat("unknown symbol ", symbol)));
    }
    auto position = std::make_shared<Position>(shared_from_this(), native, symbol);
    positions_.push_back(position);
    return position;
  }

  int64_t Close(const std::shared_ptr<Position>& position) {
    ThrowIfError(CheckValid());
    ThrowIfError(position->CheckValid());
    auto is_closing = [&](const std::weak_ptr<Position>& held) {
      auto other = held.lock();
      return other == nullptr || other == position;
    };
    if (std::none_of(positions_.begin(), positions_.end(),
                     [&](const std::weak_ptr<Position>& held) { return held.lock() == position; })) {
      ThrowIfError(absl::InvalidArgumentError("position of another portfolio"));
    }
    position->Invalidate();
    positions_.erase(std::remove_if(positions_.begin(), positions_.end(), is_closing),
                     positions_.end());
    return pf_book_close(book_, position->native());
  }

  void Liquidate() {
    ThrowIfError(CheckValid());
    valid_ = false;
    pf_book_destroy(book_);
    book_ = nullptr;
    for (const auto& held : positions_) {
      if (auto position = held.lock()) position->Invalidate();
    }
    positions_.clear();
  }

 private:
  absl::Status CheckValid() const {
    return valid_ ? absl::OkStatus() : absl::FailedPreconditionError("portfolio is liquidated");
  }

  pf_book* book_;
  bool valid_ = true;
  std::vector<std::weak_ptr<Position>> positions_;
};

}  // namespace trading

PYBIND11_MODULE(_portfolio, m) {
  using trading::Portfolio;
  using trading::Position;
  py::class_<Position, std::shared_ptr<Position>>(m, "Position")
      .def_property_readonly("symbol", &Position::symbol)
      .def("mark", &Position::Mark)
      .def("resize", &Position::Resize);
  py::class_<Portfolio, std::shared_ptr<Portfolio>>(m, "Portfolio")
      .def(py::init<const std::string&>())
      .def("open", &Portfolio::Open)
      .def("close", &Portfolio::Close, py::arg("position").none(false))
      .def("liquidate", &Portfolio::Liquidate);
}

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

class CsvExporter {
 public:
  explicit CsvExporter(const std::string& path) : out_(std::fopen(path.c_str(), "w")) {
    if (out_ == nullptr) Fail("open");
  }
  CsvExporter(const CsvExporter&) = delete;
  CsvExporter& operator=(const CsvExporter&) = delete;
  ~CsvExporter() { Close(); }

  void WriteRow(const std::vector<std::string>& cells) {
    if (out_ == nullptr) return;
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i != 0) line += ',';
      line += Quoted(cells[i]);
    }
    line += '\n';
    if (std::fwrite(line.data(), 1, line.size(), out_) != line.size()) Fail("write");
    ++rows_;
  }

  void Close() {
    if (out_ == nullptr) return;
    if (std::fclose(out_) != 0) Fail("close");
    out_ = nullptr;
  }

  std::size_t rows() const { return rows_; }
  const std::string& last_error() const { return last_error_; }

 private:
  static std::string Quoted(const std::string& cell) {
    if (cell.find_first_of(",\"\n") == std::string::npos) return cell;
    std::string quoted = "\"";
    for (char c : cell) {
      if (c == '"') quoted += '"';
      quoted += c;
    }
    return quoted + '"';
  }

  void Fail(const char* what) {
    last_error_ = std::string(what) + ": " + std::strerror(errno);
  }

  std::FILE* out_;
  std::size_t rows_ = 0;
  std::string last_error_;
};

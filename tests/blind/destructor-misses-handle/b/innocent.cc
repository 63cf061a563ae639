#include <curl/curl.h>

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>

namespace backup {

size_t AppendBody(char* data, size_t size, size_t count, void* user) {
  static_cast<std::string*>(user)->append(data, size * count);
  return size * count;
}

class UploadSession {
 public:
  explicit UploadSession(const std::string& token) {
    easy_ = curl_easy_init();
    if (easy_ == nullptr) throw std::bad_alloc();
    if (!AddHeader("Authorization: Bearer " + token) ||
        !AddHeader("Content-Type: application/octet-stream")) {
      curl_slist_free_all(headers_);
      curl_easy_cleanup(easy_);
      throw std::bad_alloc();
    }
    curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, headers_);
    curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &AppendBody);
  }

  UploadSession(const UploadSession&) = delete;
  UploadSession& operator=(const UploadSession&) = delete;

  ~UploadSession() {
    if (easy_ != nullptr) curl_easy_cleanup(easy_);
    curl_slist_free_all(headers_);
  }

  std::string Post(const std::string& url, const std::string& body) {
    std::string reply;
    curl_easy_setopt(easy_, CURLOPT_URL, url.c_str());
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, body.data());
    curl_easy_setopt(easy_, CURLOPT_WRITEDATA, &reply);
    const CURLcode code = curl_easy_perform(easy_);
    if (code != CURLE_OK) throw std::runtime_error(curl_easy_strerror(code));
    return reply;
  }

 private:
  bool AddHeader(const std::string& line) {
    curl_slist* grown = curl_slist_append(headers_, line.c_str());
    if (grown == nullptr) return false;
    headers_ = grown;
    return true;
  }

  CURL* easy_ = nullptr;
  curl_slist* headers_ = nullptr;
};

}  // namespace backup

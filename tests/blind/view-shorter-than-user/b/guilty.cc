#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

template <typename T>
struct Span {
  const T* data = nullptr;
  std::size_t size = 0;
  const T* begin() const { return data; }
  const T* end() const { return data + size; }
};

struct Header {
  std::string name;
  std::string value;
};

struct Request {
  std::string target;
  Span<Header> headers;
};

struct Client {
  std::string token;
  std::vector<Header> defaults;
};

bool MakeRequest(const Client& client, std::string_view target, Request* out) {
  if (target.empty() || target.front() != '/') return false;
  std::vector<Header> headers = client.defaults;
  if (!client.token.empty()) headers.push_back({"Authorization", "Bearer " + client.token});
  headers.push_back({"Accept", "application/json"});

  out->target = std::string(target);
  out->headers = Span<Header>{headers.data(), headers.size()};
  return true;
}

std::string Serialize(const Request& request) {
  std::string wire = "GET " + request.target + " HTTP/1.1\r\n";
  for (const Header& h : request.headers) wire += h.name + ": " + h.value + "\r\n";
  return wire + "\r\n";
}

std::string SendAll(const Client& client, const std::vector<std::string>& targets) {
  std::string wire;
  for (const std::string& target : targets) {
    Request request;
    if (!MakeRequest(client, target, &request)) continue;
    wire += Serialize(request);
  }
  return wire;
}

#include <jansson.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

struct JsonDecref {
  void operator()(json_t* value) const { json_decref(value); }
};
using Json = std::unique_ptr<json_t, JsonDecref>;

struct FreeText {
  void operator()(char* text) const { std::free(text); }
};

struct Level {
  double price;
  long long size;
};

static Json Checked(json_t* value) {
  if (value == nullptr) throw std::bad_alloc();
  return Json(value);
}

static Json MakeQuote(const std::string& symbol, const std::vector<Level>& book) {
  Json quote = Checked(json_object());
  Json levels = Checked(json_array());
  for (const Level& entry : book) {
    Json level = Checked(json_pack("{s:f, s:I}", "price", entry.price, "size",
                                   static_cast<json_int_t>(entry.size)));
    if (json_array_append_new(levels.get(), level.get()) != 0) throw std::bad_alloc();
  }
  if (json_object_set_new(quote.get(), "symbol", json_string(symbol.c_str())) != 0) {
    throw std::bad_alloc();
  }
  if (json_object_set(quote.get(), "levels", levels.get()) != 0) throw std::bad_alloc();
  return quote;
}

std::string QuoteText(const std::string& symbol, const std::vector<Level>& book) {
  const Json quote = MakeQuote(symbol, book);
  std::unique_ptr<char, FreeText> text(json_dumps(quote.get(), JSON_COMPACT | JSON_SORT_KEYS));
  if (!text) throw std::bad_alloc();
  return text.get();
}

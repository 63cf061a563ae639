// SQL functions over raw weather readings ("21.4", "21.4C", "n/a").
#include <sqlite3.h>

#include <cmath>
#include <exception>
#include <stdexcept>
#include <string>

namespace {

double reading(sqlite3_value *value) {
  const unsigned char *text = sqlite3_value_text(value);
  if (text == nullptr) return std::nan("");
  return std::stod(reinterpret_cast<const char *>(text));
}

double dew_point(double celsius, double humidity) noexcept {
  constexpr double kA = 17.62;
  constexpr double kB = 243.12;
  const double gamma = std::log(humidity / 100.0) + kA * celsius / (kB + celsius);
  return kB * gamma / (kA - gamma);
}

void put(sqlite3_context *ctx, double value) noexcept {
  if (std::isfinite(value)) {
    sqlite3_result_double(ctx, value);
  } else {
    sqlite3_result_null(ctx);
  }
}

}  // namespace

extern "C" {

static void dew_point_sql(sqlite3_context *ctx, int, sqlite3_value **argv) {
  try {
    put(ctx, dew_point(reading(argv[0]), reading(argv[1])));
  } catch (const std::invalid_argument &) {
    sqlite3_result_null(ctx);
  }
}

static void fahrenheit_sql(sqlite3_context *ctx, int, sqlite3_value **argv) {
  try {
    put(ctx, reading(argv[0]) * 9.0 / 5.0 + 32.0);
  } catch (...) {
    sqlite3_result_null(ctx);
  }
}

int weather_register(sqlite3 *db) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
  int rc = sqlite3_create_function_v2(db, "dew_point", 2, kFlags, nullptr,
                                      dew_point_sql, nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return rc;
  return sqlite3_create_function_v2(db, "fahrenheit", 1, kFlags, nullptr,
                                    fahrenheit_sql, nullptr, nullptr, nullptr);
}

}  // extern "C"

#include <array>
#include <stdexcept>
#include <string>

#include <sqlite3.h>

namespace weather {

constexpr std::array<double, 12> kUpperKnots = {1,  3,  6,  10, 16, 21,
                                                27, 33, 40, 47, 55, 63};

int beaufort(double knots) {
    int force = 0;
    for (double limit : kUpperKnots) {
        if (knots < limit)
            break;
        ++force;
    }
    return force;
}

double parse_speed(const char *text) {
    std::size_t used = 0;
    const std::string raw(text);
    const double value = std::stod(raw, &used);
    const std::string unit = raw.substr(used);
    if (unit.empty() || unit == "kn" || unit == " kn")
        return value;
    if (unit == "m/s" || unit == " m/s")
        return value * 1.943844;
    throw std::invalid_argument("unknown unit " + unit);
}

// SQL function: beaufort('23 kn')
void beaufort_sql(sqlite3_context *ctx, int, sqlite3_value **argv) {
    const unsigned char *text = sqlite3_value_text(argv[0]);
    if (!text) {
        sqlite3_result_null(ctx);
        return;
    }
    try {
        const double knots = parse_speed(reinterpret_cast<const char *>(text));
        sqlite3_result_int(ctx, beaufort(knots));
    } catch (const std::exception &) {
        sqlite3_result_error(ctx, "beaufort: not a wind speed", -1);
    }
}

void register_functions(sqlite3 *db) {
    const int rc = sqlite3_create_function_v2(db, "beaufort", 1,
                                              SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                                              beaufort_sql, nullptr, nullptr, nullptr);
    if (rc != SQLITE_OK)
        throw std::runtime_error(std::string("beaufort: ") + sqlite3_errmsg(db));
}

}  // namespace weather

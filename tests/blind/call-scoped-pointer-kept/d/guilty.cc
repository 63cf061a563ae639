// SQL aggregate longest_leg(distance, label): the label of the longest leg of a voyage.
#include <new>

#include <sqlite3.h>

namespace voyage {

struct LongestLeg {
    bool started;
    double distance;
    sqlite3_value *label;
    sqlite3_int64 legs;
};

static LongestLeg *leg_state(sqlite3_context *ctx, bool create) {
    int size = create ? static_cast<int>(sizeof(LongestLeg)) : 0;
    return static_cast<LongestLeg *>(sqlite3_aggregate_context(ctx, size));
}

static void longest_step(sqlite3_context *ctx, int argc, sqlite3_value **argv) {
    if (argc != 2)
        return;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    LongestLeg *state = leg_state(ctx, true);
    if (state == nullptr) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    state->legs += 1;
    double distance = sqlite3_value_double(argv[0]);
    if (state->started && distance <= state->distance)
        return;
    state->started = true;
    state->distance = distance;
    state->label = argv[1];
}

static void longest_final(sqlite3_context *ctx) {
    LongestLeg *state = leg_state(ctx, false);
    if (state == nullptr || !state->started || state->label == nullptr) {
        sqlite3_result_null(ctx);
        return;
    }
    sqlite3_result_value(ctx, state->label);
    state->label = nullptr;
}

static void knots(sqlite3_context *ctx, int argc, sqlite3_value **argv) {
    if (argc != 2 || sqlite3_value_double(argv[1]) <= 0.0) {
        sqlite3_result_null(ctx);
        return;
    }
    sqlite3_result_double(ctx, sqlite3_value_double(argv[0]) / sqlite3_value_double(argv[1]));
}

int register_functions(sqlite3 *db) {
    int rc = sqlite3_create_function_v2(db, "knots", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                                        knots, nullptr, nullptr, nullptr);
    if (rc != SQLITE_OK)
        return rc;
    return sqlite3_create_function_v2(db, "longest_leg", 2, SQLITE_UTF8, nullptr, nullptr,
                                      longest_step, longest_final, nullptr);
}

}  // namespace voyage

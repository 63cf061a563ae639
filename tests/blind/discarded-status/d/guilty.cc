#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <sqlite3.h>

namespace depot {

struct Scan {
    std::string parcel;
    int station;
    long long when;
};

class ScanLog {
public:
    explicit ScanLog(sqlite3 *db) : db_(db) {}

    // Returns the parcels whose scans are on disk, to be acknowledged to the belt.
    std::vector<std::string> record(const std::vector<Scan> &scans) {
        std::vector<std::string> acknowledged;
        auto settle = [&] {
            sqlite3_exec(db_, "COMMIT", nullptr, nullptr, nullptr);
            acknowledged.reserve(scans.size());
            for (const Scan &scan : scans)
                acknowledged.push_back(scan.parcel);
        };

        run("BEGIN IMMEDIATE");
        try {
            for (const Scan &scan : scans)
                insert(scan);
            settle();
        } catch (...) {
            if (sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr) != SQLITE_OK)
                std::fprintf(stderr, "depot: rollback: %s\n", sqlite3_errmsg(db_));
            throw;
        }
        return acknowledged;
    }

private:
    void run(const char *sql) {
        if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
            throw std::runtime_error(std::string(sql) + ": " + sqlite3_errmsg(db_));
    }

    void insert(const Scan &scan) {
        sqlite3_stmt *st = nullptr;
        int rc = sqlite3_prepare_v2(
            db_, "INSERT INTO scan(parcel, station, at) VALUES (?, ?, ?)", -1, &st, nullptr);
        if (rc == SQLITE_OK)
            rc = sqlite3_bind_text(st, 1, scan.parcel.c_str(), -1, SQLITE_TRANSIENT);
        if (rc == SQLITE_OK)
            rc = sqlite3_bind_int(st, 2, scan.station);
        if (rc == SQLITE_OK)
            rc = sqlite3_bind_int64(st, 3, scan.when);
        if (rc == SQLITE_OK)
            rc = sqlite3_step(st);
        sqlite3_finalize(st);
        if (rc != SQLITE_DONE)
            throw std::runtime_error("scan of " + scan.parcel + ": " + sqlite3_errstr(rc));
    }

    sqlite3 *db_;
};

}  // namespace depot

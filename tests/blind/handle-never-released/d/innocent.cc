// Recipe store. Statements are prepared once and kept by their text.
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include <sqlite3.h>

namespace kitchen {

class Cookbook {
public:
    explicit Cookbook(const std::string &path) {
        if (sqlite3_open(path.c_str(), &db_) != SQLITE_OK) {
            std::string why = sqlite3_errmsg(db_);
            sqlite3_close(db_);
            throw std::runtime_error(why);
        }
    }

    Cookbook(const Cookbook &) = delete;
    Cookbook &operator=(const Cookbook &) = delete;

    ~Cookbook() {
        for (auto &entry : prepared_)
            sqlite3_finalize(entry.second);
        prepared_.clear();
        sqlite3_close(db_);
    }

    std::vector<std::string> with_ingredient(const std::string &ingredient) {
        sqlite3_stmt *query = prepared("SELECT title FROM recipe WHERE ingredient = ?1 ORDER BY title");
        sqlite3_bind_text(query, 1, ingredient.c_str(), -1, SQLITE_TRANSIENT);
        std::vector<std::string> titles;
        while (sqlite3_step(query) == SQLITE_ROW)
            if (const unsigned char *title = sqlite3_column_text(query, 0))
                titles.emplace_back(reinterpret_cast<const char *>(title));
        sqlite3_reset(query);
        return titles;
    }

    void rate(const std::string &title, int stars) {
        sqlite3_stmt *update = prepared("UPDATE recipe SET stars = ?2 WHERE title = ?1");
        sqlite3_bind_text(update, 1, title.c_str(), -1, SQLITE_TRANSIENT);
        sqlite3_bind_int(update, 2, stars);
        int rc = sqlite3_step(update);
        sqlite3_reset(update);
        if (rc != SQLITE_DONE)
            throw std::runtime_error(sqlite3_errmsg(db_));
    }

private:
    sqlite3_stmt *prepared(const std::string &sql) {
        auto known = prepared_.find(sql);
        if (known != prepared_.end())
            return known->second;
        sqlite3_stmt *statement = nullptr;
        if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
            throw std::runtime_error(sqlite3_errmsg(db_));
        prepared_.emplace(sql, statement);
        return statement;
    }

    sqlite3 *db_ = nullptr;
    std::unordered_map<std::string, sqlite3_stmt *> prepared_;
};

}  // namespace kitchen

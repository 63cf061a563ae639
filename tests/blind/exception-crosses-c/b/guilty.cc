#include <pybind11/pybind11.h>

#include <string>
#include <utility>

namespace py = pybind11;

namespace ledger {

class Transaction {
public:
    explicit Transaction(const py::object &connection)
        : commit_(connection.attr("commit")), rollback_(connection.attr("rollback"))
    {
        connection.attr("begin")();
        open_ = true;
    }
    Transaction(const Transaction &) = delete;
    Transaction &operator=(const Transaction &) = delete;

    ~Transaction()
    {
        if (open_)
            rollback_(py::arg("reason") = "scope left");
    }

    void commit()
    {
        commit_();
        open_ = false;
    }

private:
    py::object commit_;
    py::object rollback_;
    bool open_ = false;
};

void post(const py::object &connection, const std::string &account, long cents)
{
    if (cents == 0)
        throw py::value_error("nothing to post");
    connection.attr("execute")("INSERT INTO posting(account, cents) VALUES (?, ?)", py::make_tuple(account, cents));
}

void transfer(const py::object &connection, const std::string &from, const std::string &to, long cents)
{
    Transaction tx(connection);
    post(connection, from, -cents);
    post(connection, to, cents);
    tx.commit();
}

} // namespace ledger

PYBIND11_MODULE(_ledger, m)
{
    m.def("post", &ledger::post, py::arg("connection"), py::arg("account"), py::arg("cents"));
    m.def("transfer", &ledger::transfer, py::arg("connection"), py::arg("source"), py::arg("target"),
          py::arg("cents"));
}

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <string_view>
#include <vector>

namespace tmpl {

struct Token {
    enum Kind { Text, Path } kind;
    std::string value;
};

std::vector<Token> tokenise(std::string_view source)
{
    std::vector<Token> out;
    while (!source.empty()) {
        const auto open = source.find("{{");
        const auto close = open == source.npos ? source.npos : source.find("}}", open);
        if (close == source.npos) {
            out.push_back({Token::Text, std::string(source)});
            break;
        }
        out.push_back({Token::Text, std::string(source.substr(0, open))});
        out.push_back({Token::Path, std::string(source.substr(open + 2, close - open - 2))});
        source.remove_prefix(close + 2);
    }
    return out;
}

// The object that a dotted path names, seen from root.
PyObject *resolve(PyObject *root, std::string_view path)
{
    PyObject *node = Py_NewRef(root);
    while (!path.empty()) {
        const auto dot = path.find('.');
        const std::string part(path.substr(0, dot));
        path = dot == path.npos ? std::string_view() : path.substr(dot + 1);

        PyObject *next = PyMapping_Check(node) ? PyMapping_GetItemString(node, part.c_str())
                                               : PyObject_GetAttrString(node, part.c_str());
        if (!next) {
            Py_DECREF(node);
            return nullptr;
        }
        node = next;
    }
    return node;
}

bool render(std::string_view source, PyObject *context, std::string &out)
{
    for (const Token &token : tokenise(source)) {
        if (token.kind == Token::Text) {
            out += token.value;
            continue;
        }
        PyObject *value = resolve(context, token.value);
        PyObject *text = value ? PyObject_Str(value) : nullptr;
        Py_XDECREF(value);
        const char *utf8 = text ? PyUnicode_AsUTF8(text) : nullptr;
        if (utf8)
            out += utf8;
        Py_XDECREF(text);
        if (!utf8)
            return false;
    }
    return true;
}

} // namespace tmpl

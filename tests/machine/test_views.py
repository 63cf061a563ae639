"""Views: which classes look at what they do not own, and which arguments they keep."""

from __future__ import annotations

import pytest

from ownlint.bindings.views import borrowing_field, holds, is_given, kept_by, points_at, stored_arguments


@pytest.fixture
def cls(program):
    def find(source, name):
        return next(c for c in program(a_cc=source).classes if c.name == name)

    return find


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ("Doc& doc_;", "`V::doc_` is a reference"),
        ("const Doc* doc_ = nullptr;", "`V::doc_` is a non-owning pointer"),
        ("std::string_view text_;", "`V::text_` is a non-owning view"),
        ("std::span<const int> numbers_;", "`V::numbers_` is a non-owning view"),
        ("std::vector<int>::const_iterator at_;", "`V::at_` is a non-owning iterator"),
        ("Doc doc_;", ""),
        ("std::unique_ptr<Doc> doc_;", ""),
        ("std::shared_ptr<Doc> keeps_; Doc* doc_;", ""),
        ("pybind11::object keeps_; Doc* doc_;", ""),
        ("static Doc* doc_;", ""),
        ("void (*callback_)(Doc&);", ""),
        ("const char* name_;", ""),
    ],
)
def test_fields_that_look_elsewhere(cls, field, why):
    found = borrowing_field(cls(f"class Doc {{}}; class V {{ {field} }};", "V"))
    assert (found.message if found else "") == why


def test_a_view_in_a_base_or_inside_a_container_counts(cls):
    source = "struct Doc {}; struct A { Doc& doc; }; struct B : A { int n; }; struct C { std::vector<B> all; };"
    assert borrowing_field(cls(source, "B")).message == "`A::doc` is a reference"
    assert borrowing_field(cls(source, "C")).message == "`A::doc` is a reference"


def test_a_pointer_that_the_destructor_frees_is_no_view(cls):
    freed = "struct Doc {}; class V { public: ~V() { delete doc_; } Doc* doc_; };"
    asked = "struct Doc {}; class V { public: ~V() { doc_->leave(); } Doc* doc_; };"
    unseen = "struct Doc {}; class V { public: ~V(); Doc* doc_; };"
    assert borrowing_field(cls(freed, "V")) is None
    assert borrowing_field(cls(asked, "V")) is not None
    assert borrowing_field(cls(unseen, "V")) is None


CURSOR = """
struct Doc { int size; };
class Cursor {
 public:
  Cursor(int start, Doc& doc, const Doc& other) : at_(start), doc_(&doc) { at_ += other.size; }
  void move(Doc* doc, int at) { doc_ = doc; at_ = at; }
  int at_;
  Doc* doc_;
};
class Both : public Cursor {
 public:
  explicit Both(Doc& one) : Cursor(0, one, one) {}
};
struct Plain { int n; Doc& doc; };
"""


def test_arguments_that_end_up_in_a_borrowing_field(cls):
    assert stored_arguments(cls(CURSOR, "Cursor"), 3) == {1}
    assert stored_arguments(cls(CURSOR, "Cursor"), 1) == set()
    assert stored_arguments(cls(CURSOR, "Both"), 1) == {0}
    assert stored_arguments(cls(CURSOR, "Plain"), 2) == {1}
    assert kept_by(cls(CURSOR, "Cursor"), "move", 2) == {0}


def test_a_pointer_given_from_outside_leads_out_of_the_object(cls):
    assert is_given(cls(CURSOR, "Cursor"), "doc_")
    own = "struct Doc {}; class Own { Own() : doc_(new Doc) {} Doc* doc_; };"
    assert not is_given(cls(own, "Own"), "doc_")


def test_what_a_class_points_at_and_holds(program):
    source = "struct Base {}; struct Doc : Base { std::vector<std::string> v; std::unique_ptr<Page> p; Leaf* l; };"
    source += "struct Page { Base* back; }; struct Leaf {};"
    doc, page, leaf = (
        next(c for c in program(a_cc=source).classes if c.name == name) for name in ("Doc", "Page", "Leaf")
    )
    assert points_at(page, doc)
    assert not points_at(doc, page)
    assert holds(doc, page)
    assert not holds(doc, leaf)

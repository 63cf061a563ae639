"""Raw handles: who hands them out, takes them back, takes them over."""

from __future__ import annotations

import pytest

from ownlint.engine.resources import resources
from ownlint.finding import assumptions_of

PAIRS = """
struct Block { void* base; size_t size; };
struct Ring { int slots; };
class Device {
 public:
  Block Allocate(size_t n);
  void Deallocate(Block* block);
  Result<Block> ReserveRange(size_t n);
  void ReleaseRange(Block block);
  Ring* OpenRing(const char* name);
  void CloseRing(Ring* ring);
  bool MapBuffer(size_t n, Ring** out);
  void UnmapBuffer(Ring* ring);
  Ring* GetRing();
  Ring* FindOrCreateRing();
  void ReleaseRing(Ring* ring);
  void Start();
  void Stop();
  std::string CreateName();
  void DeleteName(std::string name);
};
typedef struct zip_s zip_t;
zip_t* zip_archive_create(const char* path);
void zip_archive_destroy(zip_t* archive);
int zip_reader_init(zip_reader_t* reader);
void zip_reader_deinit(zip_reader_t* reader);
NkGraph* NK_NewGraph();
void NK_DeleteGraph(NkGraph* graph);
void* pool_alloc(int n);
void other_free(void* p);
class Scoped {
 public:
  Scoped(Device* device, Block block);
  ~Scoped() { device_->Deallocate(&block_); }
 private:
  Device* device_;
  Block block_;
};
"""

CALLS = {
    "device->Allocate(3)": ("result", ("Deallocate",)),
    "device->ReserveRange(3)": ("result", ("ReleaseRange",)),
    'device->OpenRing("a")': ("result", ("CloseRing", "ReleaseRing")),
    "device->MapBuffer(3, &ring)": ("argument 2", ("UnmapBuffer",)),
    "device->GetRing()": None,
    "device->Start()": None,
    "device->CreateName()": None,
    'zip_archive_create("a")': ("result", ("zip_archive_destroy",)),
    "zip_reader_init(&reader)": ("argument 1", ("zip_reader_deinit",)),
    "NK_NewGraph()": ("result", ("NK_DeleteGraph",)),
    "pool_alloc(3)": None,
    "new Ring": ("result", ("delete",)),
    "new (device) Ring": None,
    "malloc(3)": ("result", ("free", "std::free", "realloc")),
    "cudaMalloc(&ring, 3)": ("argument 1", ("cudaFree", "cudaFreeAsync")),
    "owner.release()": ("result", ()),
}


def _calls(function):
    return [event.node for event in function.flow.calls]


@pytest.mark.parametrize("written", CALLS)
def test_what_a_call_hands_out(program, function, written):
    made = program(
        a_h=PAIRS, a_cc=f"void use(Device* device, Ring* ring, std::unique_ptr<Ring> owner) {{ auto x = {written}; }}"
    )
    use = function(made, "use")
    assert resources(made).may_acquire(use) or CALLS[written] is None
    found = resources(made).acquisition(_calls(use)[-1], use)
    assert (found and (str(found.where), found.releases)) == CALLS[written]


BODIES = """
struct Node { Node* next; };
Node* fresh() { Node* n = new Node; n->next = nullptr; return n; }
Node* through() { return fresh(); }
Node* cached(Pool* p) { Node* n = new Node; p->all.push_back(n); return n; }
Node* once() { static Node* n = new Node; return n; }
std::unique_ptr<Node> owned() { return std::unique_ptr<Node>(new Node); }
bool out(Node** result) { *result = new Node; return true; }
bool out_by_reference(Node*& result) { result = fresh(); return true; }
Node* same(Node* n) { n->next = n; return n; }
void drop(int k, Node* n) { if (k) delete n; }
void drop_later(Node* n) { drop(1, n); }
void keep(Pool* p, Node* n) { p->all.push_back(n); }
void own(Pool* p, Node* n) { p->owned.reset(n); }
void look(Node* n) { n->next = nullptr; }
void unseen(Node* n);
#define SAFE_DELETE(p) do { delete (p); (p) = nullptr; } while (0)
class Counted { public: void Unref() { if (--count_ == 0) delete this; } int count_; };
class Holder { public: explicit Holder(Node* n) : n_(n) {} ~Holder() { delete n_; } Node* n_; };
class Looker { public: explicit Looker(Node* n) : n_(n) {} Node* n_; };
struct Pool { std::vector<Node*> all; std::unique_ptr<Node> owned; };
"""


@pytest.mark.parametrize(
    ("written", "where"),
    [
        ("fresh()", "result"),
        ("through()", "result"),
        ("cached(p)", None),
        ("once()", None),
        ("owned()", None),
        ("out(&n)", "argument 1"),
        ("out_by_reference(n)", "argument 1"),
        ("same(n)", None),
    ],
)
def test_what_a_body_hands_out(program, function, written, where):
    made = program(a_cc=BODIES + f"void use(Pool* p, Node* n) {{ auto x = {written}; }}")
    use = function(made, "use")
    found = resources(made).acquisition(_calls(use)[-1], use)
    assert (found and str(found.where)) == where


@pytest.mark.parametrize(
    ("written", "taking"),
    [
        ("drop(1, n)", "released"),
        ("drop_later(n)", "released"),
        ("keep(p, n)", "kept"),
        ("own(p, n)", "adopted"),
        ("look(n)", "borrowed"),
        ("unseen(n)", "unknown"),
        ("from_nowhere(n)", "unknown"),
        ("SAFE_DELETE(n)", "released"),
        ("std::unique_ptr<Node>(n)", "adopted"),
        ("Holder(n)", "adopted"),
        ("Looker(n)", "kept"),
        ("p->all.push_back(n)", "kept"),
        ("p->owned.reset(n)", "adopted"),
        ("lib_node_free(n)", "released"),
    ],
)
def test_what_becomes_of_an_argument(program, function, written, taking):
    made = program(a_cc=BODIES + f"void use(Pool* p, Node* n) {{ {written}; }}")
    use = function(made, "use")
    call = _calls(use)[-1]
    assert resources(made).taking(call, use, len(call.args) - 1) == taking


def test_a_method_that_deletes_this_releases_its_receiver(program, function):
    made = program(a_cc=BODIES + "void use(Counted* c) { c->Unref(); }")
    use = function(made, "use")
    assert [str(one.where) for one in resources(made).released(_calls(use)[-1], use)] == ["receiver"]


def test_a_raw_type_names_who_would_own_it(program, function):
    made = program(a_h=PAIRS, a_cc="void use() {}")
    use = function(made, "use")
    known = resources(made)
    assert known.scoped_by["Block"] == "Scoped"
    assert known.raw("Block", use).kind == "derived"
    assert known.raw("Ring*", use).kind == "pointer"
    assert known.raw("CUdeviceptr", use).kind == "modelled"
    assert known.raw("std::unique_ptr<Ring>", use) is None
    assert known.raw("Scoped", use) is None
    assert known.raw("int", use) is None


@pytest.mark.parametrize(
    ("declared", "acquires"),
    [
        ("", True),
        ("Ring* Made(int n);", True),
        ("Ring* Made(int n); Ring* Made(int);", True),
        ("Ring* Made(int n); Ring* Made(Pool* pool, int n = 0);", False),
    ],
)
def test_a_function_that_is_declared_first_is_seen_whole(program, function, declared, acquires):
    """An overload that nobody defines is not."""
    source = f"struct Ring {{ int slots; }}; struct Pool; {declared}"
    made = program(a_cc=source + "Ring* Made(int n) { return new Ring; } void use() { Ring* r = Made(1); }")
    use = function(made, "use")
    assert (resources(made).acquisition(_calls(use)[-1], use) is not None) is acquires


NAMED = {
    "struct P; P* p_new(int n); void p_free(P* p);": "pair",
    "struct P; P* p_new(int n, const char* name); void p_free(P* p);": "pair",
    "struct P; struct Q; P* p_new(Q* parent); void p_free(P* p);": "name",
    "struct P; P* p_new(int n); void p_free(P* p, int how);": "name",
    "void* p_new(int n); void p_free(void* p);": "name",
    "struct P { void* at; }; struct Heap { virtual P Reserve(int n); virtual void Release(const P&); };": "pair",
    "struct P; class World { virtual P* Create(int n) = 0; virtual void Destroy(P* p) = 0; };": "name",
}


@pytest.mark.parametrize("declared", NAMED)
def test_names_show_a_pair_where_the_type_is_their_own_and_nothing_else_may_own_it(program, declared):
    made = program(a_h=declared)
    known = [resources(made).pairs.acquirer(record) for _, record in made.index.declared_functions()]
    assert [assumptions_of(one.certainty) for one in known if one is not None] == [{NAMED[declared]}]

// Boost.Python bindings of the audio graph.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/noncopyable.hpp>
#include <boost/python.hpp>

namespace bp = boost::python;

#ifdef NDEBUG
#define AG_CHECK(cond, what) static_cast<void>(0)
#else
#define AG_CHECK(cond, what) ((cond) ? static_cast<void>(0) : (std::puts(what), std::abort()))
#endif

namespace ag {

struct Processor {
  std::string kind;
  float gain = 1.0f;
  int inputs = 0;
};

class Graph {
public:
  std::shared_ptr<Processor> add(std::string kind) {
    return chain_.emplace_back(std::make_shared<Processor>(Processor{std::move(kind)}));
  }
  void dropUnconnected() {
    std::erase_if(chain_, [](const auto &p) { return p->inputs == 0; });
  }
  const std::vector<std::shared_ptr<Processor>> &chain() const { return chain_; }

private:
  std::vector<std::shared_ptr<Processor>> chain_;
};

}  // namespace ag

// One wrapper per native object: `a.chain()[0] is a.chain()[0]`.
template <class Wrapper, class Native>
class Interned : boost::noncopyable {
public:
  static std::shared_ptr<Wrapper> lookup(const Native *key) {
    auto it = table().find(key);
    return it == table().end() ? nullptr : it->second.lock();
  }

protected:
  static void remember(const Native *key, const std::shared_ptr<Wrapper> &wrapper) {
    const bool added = table().emplace(key, wrapper).second;
    AG_CHECK(added, "native object has a wrapper already");
    static_cast<void>(added);
  }
  static void forget(const Native *key) { table().erase(key); }

private:
  static std::unordered_map<const Native *, std::weak_ptr<Wrapper>> &table() {
    static std::unordered_map<const Native *, std::weak_ptr<Wrapper>> t;
    return t;
  }
};

class PyProcessor : public Interned<PyProcessor, ag::Processor> {
public:
  explicit PyProcessor(const std::shared_ptr<ag::Processor> &p) : proc_(p.get()) {}
  ~PyProcessor() { forget(&*proc_); }

  static std::shared_ptr<PyProcessor> create(ag::Graph &graph, const std::string &kind) {
    return intern(graph.add(kind));
  }
  static bp::list chain(const ag::Graph &graph) {
    bp::list out;
    for (const auto &p : graph.chain()) {
      auto known = lookup(p.get());
      out.append(known ? known : intern(p));
    }
    return out;
  }

  float gain() const { return proc_->gain; }
  void setGain(float g) { proc_->gain = std::clamp(g, 0.0f, 4.0f); }

private:
  static std::shared_ptr<PyProcessor> intern(const std::shared_ptr<ag::Processor> &p) {
    auto wrapper = std::make_shared<PyProcessor>(p);
    remember(p.get(), wrapper);
    return wrapper;
  }

  ag::Processor *proc_;
};

BOOST_PYTHON_MODULE(audiograph) {
  bp::class_<PyProcessor, std::shared_ptr<PyProcessor>, boost::noncopyable>("Processor",
                                                                           bp::no_init)
      .add_property("gain", &PyProcessor::gain, &PyProcessor::setGain);
  bp::class_<ag::Graph, boost::noncopyable>("Graph")
      .def("add", &PyProcessor::create)
      .def("chain", &PyProcessor::chain)
      .def("drop_unconnected", &ag::Graph::dropUnconnected);
}

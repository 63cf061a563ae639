#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace nb = nanobind;

extern "C" {
struct rt_pass_context;
typedef int (*rt_pass_fn)(rt_pass_context *context, void *user_data);
// `context` is valid until `fn` returns.
int rt_run_pass(const char *module_text, rt_pass_fn fn, void *user_data);
void rt_pass_emit_remark(rt_pass_context *context, const char *text);
int rt_pass_num_functions(const rt_pass_context *context);
}

namespace {

// What Python sees of the context of a running pass.
class PyPassContext {
 public:
  explicit PyPassContext(rt_pass_context *context) : context_(context) {}

  void invalidate() { context_ = nullptr; }

  void emitRemark(const std::string &text) {
    rt_pass_emit_remark(get(), text.c_str());
  }
  int numFunctions() const { return rt_pass_num_functions(get()); }

 private:
  rt_pass_context *get() const {
    if (!context_) throw std::runtime_error("the pass has already finished");
    return context_;
  }

  rt_pass_context *context_;
};

// Invalidates the context on every way out of the callback.
struct ScopedContext {
  explicit ScopedContext(rt_pass_context *context)
      : python(std::make_shared<PyPassContext>(context)) {}
  ScopedContext(const ScopedContext &) = delete;
  ScopedContext &operator=(const ScopedContext &) = delete;
  ~ScopedContext() { python->invalidate(); }

  std::shared_ptr<PyPassContext> python;
};

// rt_pass_fn; `user_data` is the Python callable. 0 means success.
int RunPyPass(rt_pass_context *context, void *user_data) {
  nb::gil_scoped_acquire gil;
  nb::handle fn(static_cast<PyObject *>(user_data));
  ScopedContext scope(context);
  try {
    return nb::cast<bool>(fn(scope.python)) ? 0 : 1;
  } catch (nb::python_error &error) {
    error.discard_as_unraisable("a Python pass");
  } catch (const std::exception &) {
    // Not a bool: the pass has failed.
  }
  return 1;
}

bool RunPass(const std::string &moduleText, nb::callable fn) {
  nb::gil_scoped_release nogil;
  return rt_run_pass(moduleText.c_str(), RunPyPass, fn.ptr()) == 0;
}

}  // namespace

NB_MODULE(_rt_passes, m) {
  nb::class_<PyPassContext>(m, "PassContext")
      .def("emit_remark", &PyPassContext::emitRemark, nb::arg("text"))
      .def_prop_ro("num_functions", &PyPassContext::numFunctions);
  m.def("run_pass", &RunPass, nb::arg("module_text"), nb::arg("fn"));
}

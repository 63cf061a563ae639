// Handles to the groups of a drawing. The C kernel owns the groups.
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

extern "C" {
typedef struct cad_group cad_group;
cad_group *cad_group_create(cad_group *parent, const char *name); /* never NULL */
void cad_group_destroy(cad_group *group); /* with everything in it */
const char *cad_group_name(const cad_group *group);
void cad_group_walk(cad_group *group, void (*visit)(cad_group *, void *), void *user); /* itself first */
}

namespace nb = nanobind;

class GroupHandle;

struct Drawing {
    std::unordered_map<cad_group *, std::weak_ptr<GroupHandle>> live;
    void forget(cad_group *group);
};

class GroupHandle {
public:
    GroupHandle(std::shared_ptr<Drawing> drawing, cad_group *group)
        : drawing_(std::move(drawing)), group_(group) {}

    static std::shared_ptr<GroupHandle> wrap(std::shared_ptr<Drawing> drawing, cad_group *group) {
        auto handle = drawing->live[group].lock();
        if (!handle) {
            handle = std::make_shared<GroupHandle>(drawing, group);
            drawing->live[group] = handle;
        }
        return handle;
    }

    cad_group *get() const {
        if (!valid_)
            throw std::runtime_error("the group was erased");
        return group_;
    }

    std::string name() const { return cad_group_name(get()); }

    std::shared_ptr<GroupHandle> add(const std::string &name) {
        return wrap(drawing_, cad_group_create(get(), name.c_str()));
    }

    void erase() {
        cad_group *group = get();
        drawing_->forget(group);
        cad_group_destroy(group);
    }

    void invalidate() { valid_ = false; }

private:
    std::shared_ptr<Drawing> drawing_;
    cad_group *group_;
    bool valid_ = true;
};

void Drawing::forget(cad_group *group) {
    auto it = live.find(group);
    if (it == live.end())
        return;
    if (auto handle = it->second.lock())
        handle->invalidate();
    live.erase(it);
}

NB_MODULE(_drawing, m) {
    nb::class_<GroupHandle>(m, "Group")
        .def_prop_ro("name", &GroupHandle::name)
        .def("add", &GroupHandle::add, nb::arg("name"))
        .def("erase", &GroupHandle::erase);
}

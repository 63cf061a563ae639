#include "LinkHandles.h"

#include <algorithm>

using namespace armkit;
using namespace armkit::python;

KinematicTree::KinematicTree(std::string BaseName)
    : Base(std::make_unique<Link>()) {
  Base->Name = std::move(BaseName);
}

KinematicTree::~KinematicTree() {
  for (auto &Entry : LiveLinks)
    Entry.second->setInvalid();
}

LinkHandleRef KinematicTree::handleOf(Link *L) {
  auto It = LiveLinks.find(L);
  if (It != LiveLinks.end())
    return It->second;
  auto Handle = std::make_shared<LinkHandle>(L);
  LiveLinks.emplace(L, Handle);
  return Handle;
}

void KinematicTree::forget(Link *L) {
  auto It = LiveLinks.find(L);
  if (It == LiveLinks.end())
    return;
  It->second->setInvalid();
  LiveLinks.erase(It);
}

Link *KinematicTree::owned(const LinkHandleRef &Handle) const {
  Link *L = Handle->get();
  auto It = LiveLinks.find(L);
  if (It == LiveLinks.end() || It->second != Handle)
    throw std::invalid_argument("the link belongs to another tree");
  return L;
}

LinkHandleRef KinematicTree::mount(const LinkHandleRef &On,
                                   const std::string &Name) {
  Link *Parent = owned(On);
  auto Child = std::make_unique<Link>();
  Child->Name = Name;
  Child->Parent = Parent;
  Parent->Mounted.push_back(std::move(Child));
  return handleOf(Parent->Mounted.back().get());
}

void KinematicTree::unmount(const LinkHandleRef &Which) {
  Link *L = owned(Which);
  if (!L->Parent)
    throw std::invalid_argument("the base cannot be unmounted");
  auto &Siblings = L->Parent->Mounted;
  auto It = std::find_if(
      Siblings.begin(), Siblings.end(),
      [L](const std::unique_ptr<Link> &Other) { return Other.get() == L; });
  forget(L);
  Siblings.erase(It);
}

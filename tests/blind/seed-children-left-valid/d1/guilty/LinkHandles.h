#ifndef ARMKIT_PYTHON_LINKHANDLES_H
#define ARMKIT_PYTHON_LINKHANDLES_H

#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace armkit {

/// A rigid body of the robot; owns the links that are mounted on it.
struct Link {
  std::string Name;
  Link *Parent = nullptr;
  std::vector<std::unique_ptr<Link>> Mounted;
  double JointAngle = 0.0;
};

namespace python {

class LinkHandle {
public:
  explicit LinkHandle(Link *L) : Native(L) {}

  Link *get() const {
    if (!Valid)
      throw std::runtime_error("the link was removed from the tree");
    return Native;
  }
  void setInvalid() { Valid = false; }

private:
  Link *Native;
  bool Valid = true;
};

using LinkHandleRef = std::shared_ptr<LinkHandle>;

class KinematicTree {
public:
  explicit KinematicTree(std::string BaseName);
  KinematicTree(const KinematicTree &) = delete;
  ~KinematicTree();

  LinkHandleRef base() { return handleOf(Base.get()); }
  LinkHandleRef mount(const LinkHandleRef &On, const std::string &Name);

  /// Takes the link, with all that is mounted on it, off the robot.
  void unmount(const LinkHandleRef &Which);

private:
  LinkHandleRef handleOf(Link *L);
  void forget(Link *L);
  Link *owned(const LinkHandleRef &Handle) const;

  std::unique_ptr<Link> Base;
  std::unordered_map<Link *, LinkHandleRef> LiveLinks;
};

} // namespace python
} // namespace armkit

#endif

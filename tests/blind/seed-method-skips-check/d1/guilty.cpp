//===- MeshFaces.cpp - Python view of the faces of a half-edge mesh -------===//

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstddef>
#include <list>
#include <memory>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace nb = nanobind;

namespace mesh {

struct Face {
  std::array<int, 3> Corners;
  int Material = 0;
};

class FaceRef {
public:
  explicit FaceRef(Face *Native) : Native(Native) {}

  int material() const { return checked().Material; }
  void setMaterial(int Material) { checked().Material = Material; }
  nb::tuple corners() const {
    const Face &F = checked();
    return nb::make_tuple(F.Corners[0], F.Corners[1], F.Corners[2]);
  }
  void flip() {
    Face &F = checked();
    std::swap(F.Corners[1], F.Corners[2]);
  }
  Face *native() const {
    checkValid();
    return Native;
  }

  void checkValid() const {
    if (!Valid)
      throw std::runtime_error("the face was removed from its mesh");
  }
  void setInvalid() { Valid = false; }

  friend std::ostream &operator<<(std::ostream &OS, const FaceRef &Ref);

private:
  Face &checked() const {
    checkValid();
    return *Native;
  }

  Face *Native;
  bool Valid = true;
};

std::ostream &operator<<(std::ostream &OS, const FaceRef &Ref) {
  const Face &F = *Ref.Native;
  OS << "Face(" << F.Corners[0] << ", " << F.Corners[1] << ", "
     << F.Corners[2];
  if (F.Material != 0)
    OS << ", material=" << F.Material;
  return OS << ")";
}

class Mesh {
public:
  Mesh() = default;
  Mesh(const Mesh &) = delete;
  Mesh &operator=(const Mesh &) = delete;
  ~Mesh() { clear(); }

  std::shared_ptr<FaceRef> addFace(int A, int B, int C) {
    if (A == B || B == C || A == C)
      throw std::invalid_argument("degenerate face");
    Faces.push_back(Face{{A, B, C}, 0});
    auto Ref = std::make_shared<FaceRef>(&Faces.back());
    Refs.emplace(&Faces.back(), Ref);
    return Ref;
  }

  void removeFace(const FaceRef &Ref) {
    Face *Native = Ref.native();
    auto It = Refs.find(Native);
    if (It == Refs.end() || It->second.get() != &Ref)
      throw std::invalid_argument("face of another mesh");
    It->second->setInvalid();
    Refs.erase(It);
    Faces.remove_if([Native](const Face &F) { return &F == Native; });
  }

  void clear() {
    for (auto &Entry : Refs)
      Entry.second->setInvalid();
    Refs.clear();
    Faces.clear();
  }

  size_t size() const { return Faces.size(); }

private:
  std::list<Face> Faces;
  std::unordered_map<Face *, std::shared_ptr<FaceRef>> Refs;
};

} // namespace mesh

NB_MODULE(_mesh, M) {
  using mesh::FaceRef;
  using mesh::Mesh;

  nb::class_<FaceRef>(M, "Face")
      .def_prop_rw("material", &FaceRef::material, &FaceRef::setMaterial)
      .def_prop_ro("corners", &FaceRef::corners)
      .def("flip", &FaceRef::flip)
      .def("__str__", [](const FaceRef &Self) {
        std::ostringstream OS;
        OS << Self;
        return OS.str();
      });

  nb::class_<Mesh>(M, "Mesh")
      .def(nb::init<>())
      .def("add_face", &Mesh::addFace, nb::arg("a"), nb::arg("b"), nb::arg("c"))
      .def("remove_face", &Mesh::removeFace, nb::arg("face"))
      .def("clear", &Mesh::clear)
      .def("__len__", &Mesh::size);
}

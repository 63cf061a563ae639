#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <stdexcept>
#include <string>

namespace nb = nanobind;

class SceneFile {
 public:
  explicit SceneFile(const std::string& path)
      : scene_(aiImportFile(path.c_str(), aiProcess_Triangulate)) {
    if (!scene_) throw std::runtime_error(aiGetErrorString());
  }
  SceneFile(const SceneFile&) = delete;
  ~SceneFile() { aiReleaseImport(scene_); }
  const aiScene* get() const { return scene_; }

 private:
  const aiScene* scene_;
};

template <typename T>
class Part {
 public:
  Part(nb::object file, const T* raw) : file_(std::move(file)), raw_(raw) {}
  const T* operator->() const { return raw_; }
  nb::object file() const { return file_; }

 private:
  nb::object file_;
  const T* raw_;
};

using MeshPart = Part<aiMesh>;
using NodePart = Part<aiNode>;

class BonePart {
 public:
  BonePart(const MeshPart& mesh, unsigned index) : file_(mesh.file()) {
    if (index >= mesh->mNumBones) throw nb::index_error();
    bone_ = mesh->mBones[index];
  }
  const char* name() const { return bone_->mName.C_Str(); }
  unsigned weights() const { return bone_->mNumWeights; }

 private:
  nb::object file_;
  const aiBone* bone_;
};

NB_MODULE(_scene, m) {
  nb::class_<BonePart>(m, "Bone")
      .def_prop_ro("name", &BonePart::name)
      .def("__len__", &BonePart::weights);
  nb::class_<MeshPart>(m, "Mesh")
      .def("__len__", [](const MeshPart& p) { return p->mNumVertices; })
      .def("bone", [](const MeshPart& p, unsigned i) { return BonePart(p, i); });
  nb::class_<NodePart>(m, "Node")
      .def_prop_ro("name", [](const NodePart& p) { return std::string(p->mName.C_Str()); })
      .def("child", [](const NodePart& p, unsigned i) {
        if (i >= p->mNumChildren) throw nb::index_error();
        return NodePart(p.file(), p->mChildren[i]);
      });
  nb::class_<SceneFile>(m, "SceneFile")
      .def(nb::init<const std::string&>())
      .def_prop_ro("root", [](nb::object self) {
        return NodePart(self, nb::cast<SceneFile&>(self).get()->mRootNode);
      })
      .def("mesh", [](nb::object self, unsigned i) {
        const aiScene* s = nb::cast<SceneFile&>(self).get();
        if (i >= s->mNumMeshes) throw nb::index_error();
        return MeshPart(self, s->mMeshes[i]);
      });
}

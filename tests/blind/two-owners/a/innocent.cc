#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct Mesh {
  std::vector<float> positions;
  std::vector<uint32_t> indices;

  bool Consistent() const {
    const std::size_t count = positions.size() / 3;
    for (uint32_t index : indices) {
      if (index >= count) return false;
    }
    return true;
  }
};

class AssetStore {
 public:
  void Put(const std::string& name, std::unique_ptr<Mesh> mesh) {
    if (!mesh || !mesh->Consistent()) throw std::invalid_argument("bad mesh " + name);
    meshes_[name] = std::move(mesh);
  }

  std::size_t TriangleCount(const std::string& name) const {
    auto entry = meshes_.find(name);
    return entry == meshes_.end() ? 0 : entry->second->indices.size() / 3;
  }

  std::shared_ptr<const Mesh> Share(const std::string& name) const {
    auto entry = meshes_.find(name);
    if (entry == meshes_.end()) return nullptr;
    return entry->second;
  }

 private:
  std::map<std::string, std::shared_ptr<Mesh>> meshes_;
};

struct Instance {
  std::shared_ptr<const Mesh> mesh;
  float transform[16];
};

std::vector<Instance> Instantiate(const AssetStore& store, const std::string& name,
                                  std::size_t count) {
  std::vector<Instance> instances;
  const std::shared_ptr<const Mesh> mesh = store.Share(name);
  if (!mesh) return instances;
  for (std::size_t i = 0; i < count; ++i) {
    instances.push_back(Instance{mesh, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, float(i), 0, 0, 1}});
  }
  return instances;
}

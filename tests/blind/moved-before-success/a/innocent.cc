#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

struct Layer {
  std::string name;
  int inputs = 0;
};

struct Graph {
  std::vector<Layer> layers;
};

class GraphBuilder {
 public:
  void Add(Layer layer) { layers_.push_back(std::move(layer)); }

  absl::StatusOr<Graph> Build() && {
    Graph graph{std::move(layers_)};
    if (graph.layers.empty()) return absl::FailedPreconditionError("no layers");
    for (const Layer& layer : graph.layers) {
      if (layer.inputs < 1) {
        return absl::InvalidArgumentError(absl::StrCat("layer ", layer.name, " has no input"));
      }
    }
    return graph;
  }

 private:
  std::vector<Layer> layers_;
};

class ModelLoader {
 public:
  void Begin() { builder_.emplace(); }

  absl::Status AddLayer(std::string name, int inputs) {
    if (!builder_.has_value()) return absl::FailedPreconditionError("Begin was not called");
    builder_->Add(Layer{std::move(name), inputs});
    return absl::OkStatus();
  }

  absl::Status Finish() {
    if (!builder_.has_value()) return absl::FailedPreconditionError("Begin was not called");
    absl::StatusOr<Graph> graph = std::move(*builder_).Build();
    builder_.reset();
    if (!graph.ok()) return graph.status();
    graph_ = *std::move(graph);
    return absl::OkStatus();
  }

  const std::optional<Graph>& graph() const { return graph_; }

 private:
  std::optional<GraphBuilder> builder_;
  std::optional<Graph> graph_;
};

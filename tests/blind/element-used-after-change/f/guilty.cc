#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plan {

using NodeId = std::uint32_t;

enum class Kind { kInput, kElementwise, kReduce, kFused };

struct Node {
  Kind kind;
  std::string name;
  std::vector<NodeId> operands;
  std::size_t cost = 0;
  bool dead = false;
};

// Nodes of an execution plan, addressed by their index.
class NodeTable {
 public:
  NodeId create(Kind kind, std::string name, std::vector<NodeId> operands = {}) {
    const auto id = static_cast<NodeId>(nodes_.size());
    nodes_.push_back(Node{kind, std::move(name), std::move(operands)});
    return id;
  }

  Node& operator[](NodeId id) {
    if (id >= nodes_.size()) throw std::out_of_range("no such node");
    return nodes_[id];
  }

  std::size_t size() const { return nodes_.size(); }

 private:
  std::vector<Node> nodes_;
};

class PlanBuilder {
 public:
  NodeId input(std::string name) { return table_.create(Kind::kInput, std::move(name)); }

  NodeId elementwise(std::string name, std::vector<NodeId> operands, std::size_t cost) {
    const NodeId id = table_.create(Kind::kElementwise, std::move(name), std::move(operands));
    table_[id].cost = cost;
    return id;
  }

  // Replaces producer and consumer by one node; the operands are concatenated.
  NodeId fuse(NodeId producer_id, NodeId consumer_id) {
    check_fusible(producer_id, consumer_id);
    Node& producer = table_[producer_id];
    Node& consumer = table_[consumer_id];
    const NodeId fused_id = table_.create(Kind::kFused, "fused");
    Node& fused = table_[fused_id];
    fused.name = producer.name + "+" + consumer.name;
    fused.operands = producer.operands;
    for (NodeId operand : consumer.operands) {
      if (operand != producer_id) fused.operands.push_back(operand);
    }
    fused.cost = producer.cost + consumer.cost;
    producer.dead = consumer.dead = true;
    redirect(consumer_id, fused_id);
    return fused_id;
  }

  std::size_t total_cost() {
    std::size_t total = 0;
    for (NodeId id = 0; id < table_.size(); ++id) {
      if (!table_[id].dead) total += table_[id].cost;
    }
    return total;
  }

 private:
  void check_fusible(NodeId producer, NodeId consumer) {
    if (producer == consumer) throw std::invalid_argument("cannot fuse with itself");
    if (table_[producer].dead || table_[consumer].dead) {
      throw std::invalid_argument("cannot fuse a dead node");
    }
  }

  void redirect(NodeId from, NodeId to) {
    for (NodeId id = 0; id < table_.size(); ++id) {
      for (NodeId& operand : table_[id].operands) {
        if (operand == from) operand = to;
      }
    }
  }

  NodeTable table_;
};

}  // namespace plan

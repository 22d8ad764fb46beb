// A tree cut by what the host knows of a call: the rest goes to the kernel that decides.
#pragma once

#include "atomtune_decide.cuh"

namespace atomtune {

namespace calling {

// Cutter cuts a tree by the features that are known.
class Cutter {
 public:
  Cutter(const DispatchTree& tree, CutTree* cut) : tree_(tree), cut_(cut) {}

  // cut reports whether the rest fits.
  bool cut() {
    count_ = cut_->action_count = 0;
    return descend(0) && cut_->action_count > 0;
  }

 private:
  bool descend(uint32_t from) {
    TreeNode node = tree_.nodes[from];
    while (node.feature < known_features) {
      from = cut_->known[node.feature] < node.threshold ? from + 1 : node.right;
      node = tree_.nodes[from];
    }
    if (count_ == CutTree::most_nodes) return false;
    const uint32_t at = count_++;
    if (node.feature == CutTree::leaf) return place(node.right, at);
    cut_->nodes[at] = node;
    if (!descend(from + 1)) return false;
    cut_->nodes[at].right = uint16_t(count_);
    if (!descend(node.right)) return false;
    merge(at);
    return true;
  }

  // merge makes a leaf of a node whose children are leaves of one action.
  void merge(uint32_t at) {
    const TreeNode left = cut_->nodes[at + 1], right = cut_->nodes[cut_->nodes[at].right];
    if (left.feature == CutTree::leaf && right.feature == CutTree::leaf &&
        left.right == right.right) {
      cut_->nodes[at] = left;
      count_ = at + 1;
    }
  }

  bool place(uint32_t number, uint32_t at) {
    uint32_t k = 0;
    while (k < cut_->action_count && cut_->actions[k].number != number) ++k;
    if (k == cut_->action_count) {
      if (k == CutTree::most_actions) return false;
      const Action& a = tree_.actions[number];
      cut_->actions[cut_->action_count++] = {a.base, a.reduction, uint8_t(number), a.copies,
                                             a.parameter};
    }
    cut_->nodes[at] = {0, uint16_t(k), CutTree::leaf, 0};
    return true;
  }

  const DispatchTree& tree_;
  CutTree* cut_;
  uint32_t count_ = 0;
};

}  // namespace calling

}  // namespace atomtune

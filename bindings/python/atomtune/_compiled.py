"""A pass over Inductor's graphs that keeps PyTorch's sums by index as calls, for enable()."""

import operator

import torch
from torch._inductor import config
from torch._inductor.custom_graph_pass import CustomGraphPass, get_hash_for_files

from . import _extension, _functions, _operators

_aten, _ours = torch.ops.aten, torch.ops.atomtune
# Inductor brings the other sums to these forms, or calls PyTorch for them.
_CALLS = {
    _aten.index_put.default: _ours.aten_index_put_.default,
    _aten._unsafe_index_put.default: _ours.aten_index_put_.default,
    _aten.scatter_add.default: _ours.aten_scatter_add_.default,
    _aten.scatter_reduce.two: _ours.aten_scatter_reduce_.default,
}


class _Pass(CustomGraphPass):
    """Replaces calls of at least smallest updates, after a pass that the user has set."""

    def __init__(self, smallest, users):
        self._smallest, self.users = smallest, users

    def __call__(self, graph):
        if self.users is not None:
            self.users(graph)
        for node in list(graph.nodes):
            if node.op == "call_function" and node.target in _CALLS:
                self._replace(node)

    def uuid(self):
        """None, where the user's pass has no uuid: Inductor then caches nothing."""
        users = getattr(self.users, "uuid", lambda: None)()
        if self.users is not None and users is None:
            return None
        return get_hash_for_files((__file__,)), self._smallest, users

    def _replace(self, node):
        call = _CALLS[node.target]
        given = dict(zip((a.name for a in call._schema.arguments), node.args)) | node.kwargs
        if not self._pays(given):
            return
        if "embedding_dense_backward" in str(node.meta.get("original_aten")):
            given["values"] = _unpadded(given["values"])
        with node.graph.inserting_before(node):
            # Inductor makes it in place, of a copy where something else reads self.
            both = node.graph.call_function(
                torch.ops.higher_order.auto_functionalized, (call,), given)
            out = node.graph.call_function(operator.getitem, (both, 1))
        both.meta, out.meta = {**node.meta, "val": (None, node.meta["val"])}, node.meta
        node.replace_all_uses_with(out)
        node.graph.erase_node(node)

    def _pays(self, given):
        """Whether there are enough updates, of what the overrides take."""
        put = "indices" in given
        out, values = given["self"].meta["val"], given["values" if put else "src"].meta["val"]
        at, indices = zip(*((at, index.meta["val"]) for at, index in enumerate(
            given["indices"] if put else [given["index"]]) if index is not None))

        def size(tensor):
            number = tensor.numel()
            return number if isinstance(number, int) else number.node.hint or self._smallest

        return (max(map(size, indices)) >= self._smallest
                and out.dtype == values.dtype and out.dtype in _functions.SUMS
                and all(index.dtype in _functions.INDICES for index in indices)
                and {t.device.type for t in (out, values, *indices)} == {_extension.KEY.lower()}
                and not (put and (not given.get("accumulate") or at[-1] - at[0] >= len(at)
                                  or out.dtype in _operators.HALVES
                                  and size(out) > 4 * size(values))))


def _unpadded(values):
    """An embedding's gradients, which Inductor masks by an index of -1 where nothing is padding."""
    mask = values.args[0] if values.target is _aten.where.self else None
    while mask is not None and mask.target is _aten.unsqueeze.default:
        mask = mask.args[0]
    unmasked = mask is not None and mask.target is _aten.eq.Scalar and mask.args[1] == -1
    return values.args[2] if unmasked else values


def use(mode):
    """Sets the pass for the mode of enable(), or restores the user's."""
    own = config.post_grad_custom_post_pass
    users = own.users if isinstance(own, _Pass) else own
    config.post_grad_custom_post_pass = users if mode is None else _Pass(mode[0], users)

"""Times of layers of PyTorch Geometric, forward and backward, without and with atomtune.enable().

Outputs and gradients are compared with those of the same layer in double precision by PyTorch.
"""

import copy
import sys
import warnings

import timing
import torch
import torch_geometric.nn as geometric


def layers(width, edges, nodes):
    """For each name what makes the layer."""
    degrees = torch.bincount(torch.bincount(edges[1], minlength=nodes))
    aggregators = ["mean", "min", "max", "std"]
    scalers = ["identity", "amplification", "attenuation"]
    return {
        "GCN": lambda: geometric.GCNConv(width, width),
        "SAGE": lambda: geometric.SAGEConv(width, width),
        "SAGE, max": lambda: geometric.SAGEConv(width, width, aggr="max"),
        "GAT": lambda: geometric.GATConv(width, width // 4, heads=4),
        "GIN": lambda: geometric.GINConv(torch.nn.Sequential(
            torch.nn.Linear(width, width), torch.nn.ReLU(), torch.nn.Linear(width, width))),
        "PNA": lambda: geometric.PNAConv(width, width, aggregators, scalers, degrees),
        "Transformer": lambda: geometric.TransformerConv(width, width // 4, heads=4),
        "GraphConv": lambda: geometric.GraphConv(width, width)}


def graphs(arguments):
    """Sources and targets of edges by the graph's name, and its number of nodes."""
    nodes, edges = arguments.nodes, arguments.nodes * arguments.degree
    generator = torch.Generator().manual_seed(1)
    zipf = torch.stack([torch.randint(nodes, (edges,), generator=generator),
                        timing.zipf(edges, nodes, 1.1, generator)])
    yield "zipf", zipf, nodes
    yield "sorted", zipf[:, zipf[1].argsort(stable=True)], nodes
    if not arguments.edges:
        yield "social", social(nodes, edges, generator), nodes
        return
    with open(arguments.edges) as lines:
        pairs = [[int(node) for node in line.split()[:2]] for line in lines if line[0] not in "#%"]
    given = torch.tensor(pairs).t().contiguous()
    yield "given", given, int(given.max()) + 1


def social(nodes, edges, generator):
    """R-MAT with quadrants of 0.57, 0.19, 0.19 and 0.05, each edge in both directions."""
    steps = 2 ** torch.arange((nodes - 1).bit_length())[:, None]
    cuts = torch.tensor([0.57, 0.76, 0.95])
    pairs = torch.empty((2, 0), dtype=torch.int64)
    while pairs.shape[1] < edges // 2:
        draws = torch.rand((len(steps), edges), generator=generator)
        quadrants = torch.bucketize(draws, cuts)
        more = torch.stack([(quadrants // 2 * steps).sum(0), (quadrants % 2 * steps).sum(0)])
        pairs = torch.cat([pairs, more[:, (more < nodes).all(0)]], 1)[:, :edges // 2]
    pairs = torch.randperm(nodes, generator=generator)[pairs]  # hubs are not neighbours
    pairs = torch.cat([pairs, pairs.flip(0)], 1)
    return pairs[:, torch.randperm(pairs.shape[1], generator=generator)]


def step(layer, x, edges, weights):
    """What is timed: it returns the output, and all gradients as one vector."""
    leaves = [x.detach().requires_grad_(), *layer.parameters()]

    def call():
        out = layer(leaves[0], edges)
        gradients = torch.autograd.grad(out, leaves, weights)
        return out.detach(), torch.cat([gradient.reshape(-1) for gradient in gradients])

    return call


def measure(name, graph, layer, given, arguments):
    double = [t.double() if t.is_floating_point() else t for t in given]
    want = step(copy.deepcopy(layer).double(), *double)()
    call = step(layer, *given)
    got, made = timing.seen(call)
    errors = {"pytorch": distances(call(), want), "atomtune": distances(got, want)}
    result = {"name": name, "stream": graph, "made": made, "errors": errors,
              "correct": all(ours <= 4 * theirs + 1e-5 for theirs, ours in zip(*errors.values()))}
    result |= timing.medians_us({"pytorch": [call], "atomtune": [call]}, arguments)
    timing.progress(result)
    return result


def distances(got, want):
    """Of output and gradients, in units of their own length."""
    return [((g.double() - w).norm() / w.norm()).item() for g, w in zip(got, want)]


def main(argv=None):
    parser = timing.parser(__doc__, nodes=100_000, degree=10, width=64)
    parser.add_argument("--edges", metavar="FILE",
                        help="a source and a target a line, instead of the social network")
    arguments = parser.parse_args(argv)
    timing.start(arguments.device)
    warnings.filterwarnings("ignore", message=".*torch-scatter")
    results = []
    for graph, edges, nodes in graphs(arguments):
        generator = torch.Generator().manual_seed(2)
        x, weights = torch.randn((2, nodes, arguments.width), generator=generator)
        given = [t.to(arguments.device) for t in (x, edges, weights)]
        for name, make in layers(arguments.width, edges, nodes).items():
            if (arguments.only or "") in name:
                torch.manual_seed(3)
                layer = make().to(arguments.device)
                results.append(measure(name, graph, layer, given, arguments))
    return timing.finish(arguments, results, {
        "scatters that can be taken": lambda r: "{} of {}".format(*timing.taken(r["made"]))})


if __name__ == "__main__":
    sys.exit(main())

"""Graph networks: GCN, R-GAT on sampled neighbourhoods, SE(3)-Transformer and MoFlow.

Edges of a graph are data: their number here is the recipe's typical one, given in each constructor.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Gcn(nn.Module):
    """Kipf and Welling's two-layer GCN; a sample is one whole graph (Cora by default)."""

    def __init__(self, nodes=2708, edges=13264, features=1433, hidden=16, classes=7):
        super().__init__()
        self.nodes, self.edges, self.features = nodes, edges, features
        self.first, self.second = nn.Linear(features, hidden), nn.Linear(hidden, classes)

    def example_inputs(self, batch):
        ends = torch.zeros(batch * self.edges, dtype=torch.long)
        return torch.empty(batch * self.nodes, self.features), ends, ends

    def spread(self, x, source, target):
        return torch.zeros_like(x).index_add(0, target, x.index_select(0, source) * 0.5)

    def forward(self, x, source, target):
        x = F.dropout(F.relu(self.spread(self.first(F.dropout(x)), source, target)))
        return F.log_softmax(self.spread(self.second(x), source, target), -1)


class GatLayer(nn.Module):
    def __init__(self, inputs, width, heads):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.project = nn.Linear(inputs, width, bias=False)
        self.score = nn.ParameterList(torch.empty(heads, self.size) for _ in range(2))
        self.bias = nn.Parameter(torch.empty(width))

    def forward(self, source, targets, edges):
        """`source` holds the features of the sampled edges' sources, grouped by target."""
        x = self.project(source).unflatten(-1, (self.heads, self.size))
        y = self.project(targets).unflatten(-1, (self.heads, self.size))
        logits = (x * self.score[0]).sum(-1).unflatten(0, (-1, edges)) + (y * self.score[1]).sum(-1).unsqueeze(1)
        weights = F.softmax(F.leaky_relu(logits, 0.2), 1).unsqueeze(-1)
        return (weights * x.unflatten(0, (-1, edges))).sum(1).flatten(1) + self.bias


class Rgat(nn.Module):
    """MLPerf's R-GAT on IGBH: three layers of 512 over neighbourhoods of 5, 10 and 15; a sample is one labelled paper.

    Of a node's sampled edges each relation gets an equal share; repeated neighbours are not merged.
    """

    FANOUT = (5, 10, 15)

    def __init__(self, features=1024, hidden=512, heads=4, relations=4, classes=2983):
        super().__init__()
        self.features, widths = features, (features, hidden, hidden, hidden)
        self.layers = nn.ModuleList(
            nn.ModuleList(GatLayer(a, b, heads) for _ in range(relations)) for a, b in zip(widths, widths[1:])
        )
        self.out = nn.Linear(hidden, classes)

    def example_inputs(self, batch):
        return (torch.empty(batch * self.FANOUT[0] * self.FANOUT[1] * self.FANOUT[2], self.features),)

    def forward(self, x):
        for layer, fanout in zip(self.layers, reversed(self.FANOUT)):
            share = max(1, fanout // len(layer))
            targets = x.view(-1, fanout, x.shape[-1])[:, 0]
            found = [
                conv(x.view(-1, fanout, x.shape[-1])[:, i * share : (i + 1) * share].flatten(0, 1), targets, share)
                for i, conv in enumerate(layer)
            ]
            x = F.dropout(F.leaky_relu(torch.stack(found).sum(0)), 0.2)
        return self.out(x)


def size(degrees):
    """Components of features of these degrees."""
    return sum(2 * d + 1 for d in degrees)


class RadialConv(nn.Module):
    """One tensor-field convolution with all pairs of degrees fused: a radial network makes each edge's kernel.

    As the recipe fuses them where all degrees have as many channels (`ConvSE3FuseLevel.FULL`).
    """

    def __init__(self, degrees, channels, out_degrees, out_channels, edge=5, hidden=32):
        super().__init__()
        self.out_size, self.out_channels = size(out_degrees), out_channels
        self.frequencies = sum(2 * min(i, o) + 1 for i in degrees for o in out_degrees)
        self.inner = channels * self.frequencies
        self.radial = nn.Sequential(
            nn.Linear(edge, hidden),
            nn.LayerNorm(hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.LayerNorm(hidden),
            nn.ReLU(),
            nn.Linear(hidden, out_channels * self.inner, bias=False),
        )

    def forward(self, features, edge):
        kernel = self.radial(edge).view(len(edge), self.out_channels, self.inner)
        basis = torch.empty(len(edge), features.shape[-1], self.frequencies * self.out_size)
        projected = (features @ basis).view(len(edge), self.inner, self.out_size)
        return kernel @ projected


class Se3Transformer(nn.Module):
    """SE(3)-Transformer on QM9: seven attention layers, four degrees of 32 channels, eight heads; a sample is one molecule.

    Edges are bonds in both directions (`dgl.data.QM9EdgeDataset`: 18 atoms and 37 edges on average).
    """

    def __init__(self, layers=7, channels=32, degrees=4, heads=8, nodes=18, edges=37, divide=2):
        super().__init__()
        self.nodes, self.edges, self.heads, self.degrees = nodes, edges, heads, range(degrees)
        narrow = channels // divide
        self.layers, inputs, wide = nn.ModuleList(), range(1), 6
        for _ in range(layers):
            self.layers.append(
                nn.ModuleDict(
                    {
                        # Keys have the degrees of the input, values all.
                        "value": RadialConv(inputs, wide, self.degrees, narrow),
                        "key": RadialConv(inputs, wide, inputs, narrow),
                        "query": nn.ModuleList(nn.Linear(wide, narrow, bias=False) for _ in inputs),
                        "out": nn.ModuleList(
                            nn.Linear(narrow + (wide if d in inputs else 0), channels, bias=False) for d in self.degrees
                        ),
                        "norm": nn.LayerNorm(channels * degrees),
                    }
                )
            )
            inputs, wide = self.degrees, channels
        self.last = RadialConv(inputs, channels, range(1), 128)
        self.head = nn.Sequential(nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 1))

    def example_inputs(self, batch):
        ends = torch.zeros(batch * self.edges, dtype=torch.long)
        return torch.empty(batch * self.nodes, 6, 1), torch.empty(batch * self.edges, 5), ends, ends

    def apart(self, features, degrees):
        return features.split([2 * d + 1 for d in degrees], -1)

    def forward(self, features, edge, source, target):
        inputs = range(1)
        for layer in self.layers:
            near = features.index_select(0, source)
            value, key = layer["value"](near, edge), layer["key"](near, edge)
            parts = self.apart(features, inputs)
            query = torch.cat([net(x.transpose(1, 2)).transpose(1, 2) for net, x in zip(layer["query"], parts)], -1)
            q = query.index_select(0, target).unflatten(1, (self.heads, -1)).flatten(2)
            weights = F.softmax((q * key.unflatten(1, (self.heads, -1)).flatten(2)).sum(-1), -1)
            weighted = (value.unflatten(1, (self.heads, -1)) * weights[..., None, None]).flatten(1, 2)
            total = torch.zeros(len(features), *value.shape[1:]).index_add(0, target, weighted)
            mixed = []
            for d, (net, x) in enumerate(zip(layer["out"], self.apart(total, self.degrees))):
                joined = torch.cat([x, parts[d]], 1) if d in inputs else x
                mixed.append(net(joined.transpose(1, 2)).transpose(1, 2))
            scale = torch.cat([x.norm(dim=-1) for x in mixed], -1)
            gain = (F.relu(layer["norm"](scale)) / scale).unflatten(-1, (len(self.degrees), -1)).unbind(1)
            features, inputs = torch.cat([x * g.unsqueeze(-1) for x, g in zip(mixed, gain)], -1), self.degrees
        out = self.last(features.index_select(0, source), edge).squeeze(-1)
        nodes = torch.zeros(len(features), 128).index_add(0, target, out)
        return self.head(nodes.view(-1, self.nodes, 128).mean(1))


class MoFlow(nn.Module):
    """MoFlow on ZINC-250k: ten Glow steps over bonds and 38 graph-coupling steps over atoms; a sample is one molecule.

    Bonds of 40 atoms are squeezed 20 by 20 before the Glow steps (the recipe's `ZINC250K_CONFIG`).
    """

    def __init__(
        self,
        atoms=40,
        kinds=10,
        bonds=4,
        squeeze=20,
        bond_steps=10,
        atom_steps=38,
        bond_width=512,
        graph_width=256,
        linear=(512, 64),
    ):
        super().__init__()
        self.atoms, self.kinds, self.bonds, self.squeeze = atoms, kinds, bonds, squeeze
        folded = bonds * squeeze**2
        self.bond = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(folded // 2, bond_width, 3, padding=1),
                nn.BatchNorm2d(bond_width),
                nn.ReLU(),
                nn.Conv2d(bond_width, bond_width, 1),
                nn.BatchNorm2d(bond_width),
                nn.ReLU(),
                nn.Conv2d(bond_width, folded, 3, padding=1),
            )
            for _ in range(bond_steps)
        )
        self.mix = nn.ModuleList(nn.Conv2d(folded, folded, 1, bias=False) for _ in range(bond_steps))
        self.own = nn.ModuleList(nn.Linear(kinds, graph_width) for _ in range(atom_steps))
        self.edge = nn.ModuleList(nn.Linear(kinds, (bonds - 1) * graph_width) for _ in range(atom_steps))
        self.linear = nn.ModuleList(
            nn.Sequential(
                nn.Linear(graph_width, linear[0]),
                nn.BatchNorm1d(atoms),
                nn.ReLU(),
                nn.Linear(linear[0], linear[1]),
                nn.BatchNorm1d(atoms),
                nn.ReLU(),
                nn.Linear(linear[1], 2 * kinds),
            )
            for _ in range(atom_steps)
        )

    def example_inputs(self, batch):
        return torch.empty(batch, self.bonds, self.atoms, self.atoms), torch.empty(batch, self.atoms, self.kinds)

    def forward(self, bonds, atoms):
        found, adjacency = [], bonds[:, : self.bonds - 1]
        x = F.pixel_unshuffle(bonds, self.squeeze)
        for net, mix in zip(self.bond, self.mix):
            fixed, moved = mix(x).chunk(2, 1)
            scale, shift = net(fixed).chunk(2, 1)
            scale = torch.sigmoid(scale)
            found.append(torch.log(scale).sum((1, 2, 3)))
            x = torch.cat([fixed, (moved + shift) * scale], 1)
        for own, edge, net in zip(self.own, self.edge, self.linear):
            messages = edge(atoms).unflatten(-1, (self.bonds - 1, -1)).transpose(1, 2)
            h = torch.tanh(own(atoms) + (adjacency @ messages).sum(1))
            scale, shift = net(h).chunk(2, -1)
            scale = torch.sigmoid(scale)
            found.append(torch.log(scale).sum((1, 2)))
            atoms = (atoms + shift) * scale
        return [x, atoms, *found]

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


class RadialConv(nn.Module):
    """One tensor-field convolution between two fibres: a radial network a pair of degrees makes each edge's kernel."""

    def __init__(self, inputs, outputs, edge=33, hidden=32):
        super().__init__()
        self.inputs, self.outputs = inputs, outputs
        self.radial = nn.ModuleDict()
        for i, a in inputs.items():
            for o, b in outputs.items():
                self.radial[f"{i}-{o}"] = nn.Sequential(
                    nn.Linear(edge, hidden),
                    nn.LayerNorm(hidden),
                    nn.ReLU(),
                    nn.Linear(hidden, hidden),
                    nn.LayerNorm(hidden),
                    nn.ReLU(),
                    nn.Linear(hidden, a * b * (2 * min(i, o) + 1), bias=False),
                )

    def forward(self, features, edge, basis):
        found = {}
        for o, b in self.outputs.items():
            total = 0
            for i, a in self.inputs.items():
                kernel = self.radial[f"{i}-{o}"](edge).view(len(edge), b, a * (2 * min(i, o) + 1))
                projected = (features[i] @ basis[i, o]).view(len(edge), a * (2 * min(i, o) + 1), 2 * o + 1)
                total = total + kernel @ projected
            found[o] = total
        return found


class Se3Transformer(nn.Module):
    """SE(3)-Transformer on QM9: seven attention layers, four degrees of 32 channels, eight heads; a sample is one molecule."""

    def __init__(self, layers=7, channels=32, degrees=4, heads=8, nodes=18, edges=306, divide=2):
        super().__init__()
        self.nodes, self.edges, self.heads = nodes, edges, heads
        wide, first, narrow = {d: channels for d in range(degrees)}, {0: 6}, {d: channels // divide for d in range(degrees)}
        self.layers, inputs = nn.ModuleList(), first
        for _ in range(layers):
            keyed = {d: narrow[d] for d in wide if d in inputs}
            self.layers.append(
                nn.ModuleDict(
                    {
                        "value": RadialConv(inputs, narrow),
                        "key": RadialConv(inputs, keyed),
                        "query": nn.ModuleDict({str(d): nn.Linear(inputs[d], keyed[d], bias=False) for d in keyed}),
                        "out": nn.ModuleDict(
                            {str(d): nn.Linear(narrow[d] + inputs.get(d, 0), wide[d], bias=False) for d in wide}
                        ),
                        "norm": nn.ModuleDict({str(d): nn.LayerNorm(wide[d]) for d in wide}),
                    }
                )
            )
            inputs = wide
        self.last = RadialConv(inputs, {0: 128})
        self.head = nn.Sequential(nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 1))

    def example_inputs(self, batch):
        ends = torch.zeros(batch * self.edges, dtype=torch.long)
        return torch.empty(batch * self.nodes, 6, 1), torch.empty(batch * self.edges, 33), ends, ends

    def gather(self, features, index):
        return {d: x.index_select(0, index) for d, x in features.items()}

    def forward(self, x, edge, source, target):
        degrees = range(4)
        basis = {(i, o): torch.empty(len(edge), 2 * i + 1, (2 * o + 1) * (2 * min(i, o) + 1)) for i in degrees for o in degrees}
        features = {0: x}
        for layer in self.layers:
            near = self.gather(features, source)
            value, key = layer["value"](near, edge, basis), layer["key"](near, edge, basis)
            query = {int(d): (net(features[int(d)].transpose(1, 2))).transpose(1, 2) for d, net in layer["query"].items()}
            q = torch.cat([v.flatten(1) for v in self.gather(query, target).values()], 1).unflatten(1, (self.heads, -1))
            k = torch.cat([v.flatten(1) for v in key.values()], 1).unflatten(1, (self.heads, -1))
            weights = F.softmax((q * k).sum(-1), -1)
            result = {}
            for d, v in value.items():
                weighted = (v.unflatten(1, (self.heads, -1)) * weights[..., None, None]).flatten(1, 2)
                total = torch.zeros(len(x), *v.shape[1:]).index_add(0, target, weighted)
                joined = torch.cat([total, features[d]], 1) if d in features else total
                y = layer["out"][str(d)](joined.transpose(1, 2)).transpose(1, 2)
                scale = y.norm(dim=-1)
                result[d] = y * (F.relu(layer["norm"][str(d)](scale)) / scale).unsqueeze(-1)
            features = result
        out = self.last(self.gather(features, source), edge, basis)[0].squeeze(-1)
        nodes = torch.zeros(len(x), 128).index_add(0, target, out)
        return self.head(nodes.view(-1, self.nodes, 128).mean(1))


class MoFlow(nn.Module):
    """MoFlow on ZINC-250k: ten Glow steps over bonds and 38 graph-coupling steps over atoms; a sample is one molecule."""

    def __init__(
        self, atoms=38, kinds=10, bonds=4, bond_steps=10, atom_steps=38, bond_width=512, graph_width=256, linear=(512, 64)
    ):
        super().__init__()
        self.atoms, self.kinds, self.bonds = atoms, kinds, bonds
        folded = bonds * 4
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
        x = F.pixel_unshuffle(bonds, 2)
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

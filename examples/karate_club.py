"""A graph network: which side will each member of a karate club take, where two have said theirs?

    python examples/karate_club.py        # pip install networkx

Zachary's club (1977) broke in two. A graph convolutional network (Kipf and Welling, 2017) sees who meets whom, and the
sides of the two who quarrelled; it finds those of the other 32.
"""

import argparse

import networkx
import numpy as np
import proa as paddle
from matplotlib import pyplot
from proa import nn
from proa.nn import functional as F


class GraphConvolution(nn.Layer):
    """The mean of what one's neighbours and oneself are, through a linear layer."""

    def __init__(self, takes, gives):
        super().__init__()
        self.linear = nn.Linear(takes, gives)

    def forward(self, x, source, target, weight):
        messages = paddle.gather(self.linear(x), source) * weight
        return paddle.geometric.segment_sum(messages, target)


class Network(nn.Layer):
    def __init__(self, members, width=16):
        super().__init__()
        self.embedding = nn.Embedding(members, width)
        self.first, self.second = GraphConvolution(width, width), GraphConvolution(width, 2)

    def forward(self, *edges):
        x = F.relu(self.first(self.embedding.weight, *edges))
        return self.second(x, *edges)


def edges_of(graph):
    """Who hears whom, himself too, ordered by who hears; and the weights 1 / sqrt(degree * degree)."""
    pairs = sorted([*graph.edges, *((b, a) for a, b in graph.edges), *((n, n) for n in graph)], key=lambda e: (e[1], e))
    source, target = np.array(pairs).T
    degree = np.bincount(target)
    weight = (degree[source] * degree[target])[:, None] ** -0.5
    return paddle.to_tensor(source), paddle.to_tensor(target), paddle.to_tensor(weight.astype("float32"))


def draw(path, graph, shares, sides):
    figure, axis = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    places = networkx.spring_layout(graph, seed=4)
    networkx.draw_networkx_edges(graph, places, ax=axis, alpha=0.25)
    dots = networkx.draw_networkx_nodes(graph, places, ax=axis, node_color=shares, cmap="coolwarm", vmin=0, vmax=1,
                                        node_size=230, linewidths=1.5,
                                        edgecolors=["black" if (s > 0.5) == side else "gold" for s, side in
                                                    zip(shares, sides, strict=True)])
    networkx.draw_networkx_labels(graph, places, ax=axis, font_size=8)
    figure.colorbar(dots, ax=axis, label="share for the officer's side")
    axis.set_title("0 and 33 said their side; a golden edge: put on the wrong one", fontsize=9)
    axis.set_axis_off()
    figure.savefig(path, dpi=64)


def main(steps, picture):
    paddle.seed(3)
    graph = networkx.karate_club_graph()
    sides = np.array([graph.nodes[n]["club"] == "Officer" for n in graph])
    edges, known = edges_of(graph), paddle.to_tensor([0, 33])
    labels = paddle.to_tensor(sides[[0, 33]].astype("int64"))
    net = paddle.jit.to_static(Network(len(graph)))
    adam = paddle.optimizer.Adam(0.02, parameters=net.parameters(), weight_decay=5e-3)
    for step in range(steps):
        loss = F.cross_entropy(paddle.gather(net(*edges), known), labels)
        loss.backward()
        adam.step()
        adam.clear_grad()
        if step % 50 == 0:
            print(f"step {step}: {float(loss):.4f}")
    with paddle.no_grad():
        shares = F.softmax(net(*edges)).numpy()[:, 1]
    right = int(((shares > 0.5) == sides).sum())
    print(f"{right} of {len(sides)} members are put on the side that they took")
    draw(picture, graph, shares, sides)
    return right / len(sides)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--picture", default="karate_club.png")
    main(**vars(parser.parse_args()))

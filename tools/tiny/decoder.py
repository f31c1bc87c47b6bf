"""The architecture of models/tiny in plain PyTorch: Qwen3 (arXiv 2505.09388), small. Parameter names are the
checkpoint's. B batch, T time, D width, H heads, K head size, V vocabulary."""

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, LAYERS, HEADS, HEAD_SIZE, MLP_WIDTH = 96, 4, 4, 24, 256
ROPE_BASE, EPSILON, CONTEXT = 10000.0, 1e-6, 256


class RmsNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return F.rms_norm(x, (x.shape[-1],), self.weight, EPSILON)


def linear(inputs, outputs):
    return nn.Linear(inputs, outputs, bias=False)


def rotate(x_BHTK, cos_TK, sin_TK):
    first, second = x_BHTK.chunk(2, -1)
    return x_BHTK * cos_TK + torch.cat([-second, first], -1) * sin_TK


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj = (linear(WIDTH, HEADS * HEAD_SIZE) for _ in range(3))
        self.o_proj = linear(HEADS * HEAD_SIZE, WIDTH)
        self.q_norm, self.k_norm = RmsNorm(HEAD_SIZE), RmsNorm(HEAD_SIZE)

    def forward(self, x_BTD, cos_TK, sin_TK):
        heads = [p(x_BTD).unflatten(-1, (HEADS, HEAD_SIZE)) for p in (self.q_proj, self.k_proj, self.v_proj)]
        q = rotate(self.q_norm(heads[0]).transpose(1, 2), cos_TK, sin_TK)
        k = rotate(self.k_norm(heads[1]).transpose(1, 2), cos_TK, sin_TK)
        out = F.scaled_dot_product_attention(q, k, heads[2].transpose(1, 2), is_causal=True)
        return self.o_proj(out.transpose(1, 2).flatten(2))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate_proj, self.up_proj = linear(WIDTH, MLP_WIDTH), linear(WIDTH, MLP_WIDTH)
        self.down_proj = linear(MLP_WIDTH, WIDTH)

    def forward(self, x_BTD):
        return self.down_proj(F.silu(self.gate_proj(x_BTD)) * self.up_proj(x_BTD))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.input_layernorm, self.post_attention_layernorm = RmsNorm(WIDTH), RmsNorm(WIDTH)
        self.self_attn, self.mlp = Attention(), Mlp()

    def forward(self, x_BTD, cos_TK, sin_TK):
        x_BTD = x_BTD + self.self_attn(self.input_layernorm(x_BTD), cos_TK, sin_TK)
        return x_BTD + self.mlp(self.post_attention_layernorm(x_BTD))


class Trunk(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.embed_tokens = nn.Embedding(vocabulary, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = RmsNorm(WIDTH)


class Decoder(nn.Module):
    """The head is the embedding (tied). Rows are padded on the right, so that the causal mask is all there is."""

    def __init__(self, vocabulary):
        super().__init__()
        self.model = Trunk(vocabulary)
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=0.02 if parameter.shape[0] == vocabulary else parameter.shape[1] ** -0.5)
        for layer in self.model.layers:  # what is added to the residual stream starts small
            for out in (layer.self_attn.o_proj, layer.mlp.down_proj):
                out.weight.data *= (2 * LAYERS) ** -0.5
        inverse = ROPE_BASE ** (-torch.arange(0, HEAD_SIZE, 2) / HEAD_SIZE)
        angles = torch.arange(CONTEXT)[:, None] * inverse
        angles_TK = torch.cat([angles, angles], -1)
        self.cos_TK, self.sin_TK = angles_TK.cos(), angles_TK.sin()

    def forward(self, ids_BT):
        """logits_BTV."""
        time = ids_BT.shape[1]
        x_BTD = self.model.embed_tokens(ids_BT)
        for layer in self.model.layers:
            x_BTD = layer(x_BTD, self.cos_TK[:time], self.sin_TK[:time])
        return self.model.norm(x_BTD) @ self.model.embed_tokens.weight.T

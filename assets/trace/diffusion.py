"""Image and video generators: diffusers' own networks in their published sizes, and CycleGAN (needs diffusers)."""

import torch
import torch.nn as nn


class Denoiser(nn.Module):
    """A network of diffusers and the inputs of one denoising step; extra inputs are given as shapes."""

    def __init__(self, net, inputs):
        super().__init__()
        self.net, self.inputs = net, inputs

    def example_inputs(self, batch):
        return {
            name: torch.zeros(batch, dtype=torch.long) if shape == "steps" else torch.empty(batch, *shape)
            for name, shape in self.inputs.items()
        }

    def forward(self, **inputs):
        return self.net(**inputs, return_dict=False)


def stable_diffusion(version="2", latent=64):
    """The U-Net of Stable Diffusion 1, 2 or XL; 64 latent pixels are a 512-pixel image."""
    from diffusers import UNet2DConditionModel

    common = dict(sample_size=latent, in_channels=4, out_channels=4, layers_per_block=2)
    if version == "xl":
        net = UNet2DConditionModel(
            **common,
            block_out_channels=(320, 640, 1280),
            down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
            up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
            transformer_layers_per_block=(1, 2, 10),
            cross_attention_dim=2048,
            attention_head_dim=(5, 10, 20),
            use_linear_projection=True,
            addition_embed_type="text_time",
            addition_time_embed_dim=256,
            projection_class_embeddings_input_dim=2816,
        )
        return Conditioned(net, {"sample": (4, latent, latent), "timestep": "steps", "encoder_hidden_states": (77, 2048)})
    width, heads, linear = (1024, (5, 10, 20, 20), True) if version == "2" else (768, 8, False)
    net = UNet2DConditionModel(**common, cross_attention_dim=width, attention_head_dim=heads, use_linear_projection=linear)
    return Denoiser(net, {"sample": (4, latent, latent), "timestep": "steps", "encoder_hidden_states": (77, width)})


class Conditioned(Denoiser):
    """Stable Diffusion XL also takes pooled text and six sizes."""

    def forward(self, sample, **inputs):
        extra = {"text_embeds": torch.empty(len(sample), 1280), "time_ids": torch.empty(len(sample), 6)}
        return self.net(sample, **inputs, added_cond_kwargs=extra, return_dict=False)


def dit(layers=28, heads=16, latent=32):
    """DiT with patches of 2; 32 latent pixels are a 256-pixel image."""
    from diffusers import DiTTransformer2DModel

    net = DiTTransformer2DModel(
        num_attention_heads=heads,
        attention_head_dim=72 if layers == 28 else 64,
        num_layers=layers,
        sample_size=latent,
        in_channels=4,
        out_channels=8,
    )
    return Denoiser(net, {"hidden_states": (4, latent, latent), "timestep": "steps", "class_labels": "steps"})


def flux(guidance=False, size=256, text=256):
    """FLUX.1's transformer: 19 double and 38 single blocks over 16-pixel patches and text tokens."""
    from diffusers import FluxTransformer2DModel

    return Flux(FluxTransformer2DModel(guidance_embeds=guidance), (size // 16) ** 2, text)


class Flux(nn.Module):
    def __init__(self, net, patches, text):
        super().__init__()
        self.net, self.patches, self.text = net, patches, text

    def example_inputs(self, batch):
        return (
            torch.empty(batch, self.patches, 64),
            torch.empty(batch, self.text, 4096),
            torch.empty(batch, 768),
            torch.empty(batch),
        )

    def forward(self, image, text, pooled, step):
        guidance = step if self.net.config.guidance_embeds else None
        places = torch.empty(self.patches, 3), torch.empty(self.text, 3)
        return self.net(
            image,
            encoder_hidden_states=text,
            pooled_projections=pooled,
            timestep=step,
            img_ids=places[0],
            txt_ids=places[1],
            guidance=guidance,
            return_dict=False,
        )


def sd3(size=512):
    """Stable Diffusion 3 medium: 24 joint blocks."""
    from diffusers import SD3Transformer2DModel

    net = SD3Transformer2DModel(
        sample_size=128,
        patch_size=2,
        in_channels=16,
        num_layers=24,
        attention_head_dim=64,
        num_attention_heads=24,
        joint_attention_dim=4096,
        caption_projection_dim=1536,
        pooled_projection_dim=2048,
        out_channels=16,
        pos_embed_max_size=192,
    )
    side = size // 8
    return Denoiser(
        net,
        {
            "hidden_states": (16, side, side),
            "timestep": "steps",
            "encoder_hidden_states": (333, 4096),
            "pooled_projections": (2048,),
        },
    )


def wan(layers=40, heads=40, ffn=13824, frames=21, height=90, width=160):
    """Wan 2.1: 21 latent frames of 90 x 160 are 81 frames of 720p, 75,600 tokens."""
    from diffusers import WanTransformer3DModel

    net = WanTransformer3DModel(num_attention_heads=heads, attention_head_dim=128, ffn_dim=ffn, num_layers=layers)
    return Denoiser(
        net, {"hidden_states": (16, frames, height, width), "timestep": "steps", "encoder_hidden_states": (512, 4096)}
    )


class CycleGan(nn.Module):
    """CycleGAN at 256 pixels: one step runs each generator three times and each discriminator three times."""

    def __init__(self, size=256, width=64, blocks=9):
        super().__init__()
        self.size = size
        self.generators = nn.ModuleList(self.generator(width, blocks) for _ in range(2))
        self.judges = nn.ModuleList(self.judge(width) for _ in range(2))

    @staticmethod
    def generator(width, blocks):
        step = lambda i, o, k, s, p: [nn.Conv2d(i, o, k, s, p), nn.InstanceNorm2d(o), nn.ReLU()]  # noqa: E731
        up = lambda i, o: [nn.ConvTranspose2d(i, o, 3, 2, 1, 1), nn.InstanceNorm2d(o), nn.ReLU()]  # noqa: E731
        return nn.Sequential(
            nn.ReflectionPad2d(3),
            *step(3, width, 7, 1, 0),
            *step(width, 2 * width, 3, 2, 1),
            *step(2 * width, 4 * width, 3, 2, 1),
            *(Residual(4 * width) for _ in range(blocks)),
            *up(4 * width, 2 * width),
            *up(2 * width, width),
            nn.ReflectionPad2d(3),
            nn.Conv2d(width, 3, 7),
            nn.Tanh(),
        )

    @staticmethod
    def judge(width):
        widths, layers = (width, 2 * width, 4 * width, 8 * width), [nn.Conv2d(3, width, 4, 2, 1), nn.LeakyReLU(0.2)]
        for i, (a, b) in enumerate(zip(widths, widths[1:])):
            layers += [nn.Conv2d(a, b, 4, 2 if i < 2 else 1, 1), nn.InstanceNorm2d(b), nn.LeakyReLU(0.2)]
        return nn.Sequential(*layers, nn.Conv2d(widths[-1], 1, 4, 1, 1))

    def example_inputs(self, batch):
        image = torch.empty(batch, 3, self.size, self.size)
        return image, image

    def forward(self, a, b):
        (to_b, to_a), (judge_b, judge_a) = self.generators, self.judges
        fake_b, fake_a = to_b(a), to_a(b)
        found = [to_a(fake_b), to_b(fake_a), to_b(b), to_a(a), judge_b(fake_b), judge_a(fake_a)]
        for judge, real, fake in ((judge_b, b, fake_b), (judge_a, a, fake_a)):
            found += [judge(real), judge(fake.detach())]
        return found


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(
            nn.ReflectionPad2d(1),
            nn.Conv2d(width, width, 3),
            nn.InstanceNorm2d(width),
            nn.ReLU(),
            nn.ReflectionPad2d(1),
            nn.Conv2d(width, width, 3),
            nn.InstanceNorm2d(width),
        )

    def forward(self, x):
        return x + self.body(x)

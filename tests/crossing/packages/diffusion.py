"""ppdiffusers: small UNets and an autoencoder, trained, saved, loaded; images drawn by schedulers."""

import os

import numpy as np
import paddle
import ppdiffusers as D
from shared import FOLDER, SIDE, numbers, run, same_weights, trained

RNG = np.random.default_rng(0)
IMAGES, LATENTS, TEXT, NOISE, SPECKLE = (paddle.to_tensor(RNG.normal(size=shape).astype("float32")) for shape in (
    (2, 3, 16, 16), (2, 4, 8, 8), (2, 5, 16), (2, 4, 8, 8), (2, 3, 16, 16)))
STEPS = paddle.to_tensor([3, 70])
FORWARD = D.DDPMScheduler(num_train_timesteps=100)
SIZES = {"block_out_channels": (16, 32), "layers_per_block": 1, "norm_num_groups": 8}


def conditioned():
    return D.UNet2DConditionModel(
        sample_size=8, in_channels=4, out_channels=4, cross_attention_dim=16, attention_head_dim=4,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
        **SIZES)


def unconditioned():
    return D.UNet2DModel(sample_size=16, in_channels=3, out_channels=3, attention_head_dim=8,
                         down_block_types=("DownBlock2D", "AttnDownBlock2D"),
                         up_block_types=("AttnUpBlock2D", "UpBlock2D"), **SIZES)


def autoencoder():
    return D.AutoencoderKL(in_channels=3, out_channels=3, latent_channels=4,
                           down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
                           **SIZES)


def conditioned_loss(model):
    noisy = FORWARD.add_noise(LATENTS, NOISE, STEPS)
    return ((model(noisy, STEPS, TEXT).sample - NOISE) ** 2).mean()


def unconditioned_loss(model):
    return ((model(FORWARD.add_noise(IMAGES, SPECKLE, STEPS), STEPS).sample - SPECKLE) ** 2).mean()


def autoencoder_loss(model):
    posterior = model.encode(IMAGES).latent_dist
    decoded = model.decode(posterior.mean + posterior.std * NOISE).sample
    return ((decoded - IMAGES) ** 2).mean() + 1e-3 * posterior.kl().mean()


def tried(found, name, make, loss):
    model = make()
    same_weights(model, name)
    model.eval()
    found["forward"] = float(loss(model))
    found["5 steps"] = trained(model, loss, paddle.optimizer.AdamW(1e-3, parameters=model.parameters()))
    model.save_pretrained(os.path.join(FOLDER, f"{SIDE}_{name}"))
    loaded = type(model).from_pretrained(os.path.join(FOLDER, f"theirs_{name}"))
    loaded.eval()
    found["loaded from PaddlePaddle's files"] = float(loss(loaded))
    return model


@paddle.no_grad()
def drawn(model, scheduler, steps, start, *more):
    scheduler.set_timesteps(steps)
    x = start * scheduler.init_noise_sigma
    for step in scheduler.timesteps:
        x = scheduler.step(model(scheduler.scale_model_input(x, step), step, *more).sample, step, x).prev_sample
    return numbers(x)


def unet_condition(found):
    model = tried(found, "unet_condition", conditioned, conditioned_loss)
    for name in ("DDIM", "PNDM", "EulerDiscrete", "HeunDiscrete", "LMSDiscrete", "DPMSolverMultistep",
                 "UniPCMultistep"):
        scheduler = getattr(D, f"{name}Scheduler")(num_train_timesteps=100, beta_schedule="scaled_linear")
        found[name] = drawn(model, scheduler, 6, NOISE, TEXT)


def unet(found):
    model = tried(found, "unet", unconditioned, unconditioned_loss)
    paddle.seed(4)
    found["DDPM from a seed"] = drawn(model, D.DDPMScheduler(num_train_timesteps=100), 5, SPECKLE)


def autoencoder_kl(found):
    tried(found, "autoencoder_kl", autoencoder, autoencoder_loss)


run(unet_condition=unet_condition, unet=unet, autoencoder_kl=autoencoder_kl)

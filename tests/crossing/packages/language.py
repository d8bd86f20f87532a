"""paddlenlp: small language models, trained, generating, saved, loaded, adapted by LoRA."""

import os

import numpy as np
import paddle
from paddlenlp import transformers as T
from paddlenlp.peft import LoRAConfig, LoRAModel
from paddlenlp.trainer import Trainer, TrainingArguments
from shared import FOLDER, SIDE, numbers, run, same_weights, trained

RNG = np.random.default_rng(0)
IDS, CLASSES = RNG.integers(5, 90, (4, 12)), RNG.integers(0, 3, (4,))
CALM = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
SIZES = {"vocab_size": 100, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
         "intermediate_size": 48, "max_position_embeddings": 40}


def class_loss(model):
    return model(paddle.to_tensor(IDS), labels=paddle.to_tensor(CLASSES))[0]


def word_loss(model):
    found = model(input_ids=paddle.to_tensor(IDS), labels=paddle.to_tensor(IDS))
    return found[0] if isinstance(found, (tuple, list)) else found


def classifier(model, config, **more):
    return lambda: model(config(**{**SIZES, **CALM, "num_labels": 3, **more}))


MODELS = {
    "bert": (classifier(T.BertForSequenceClassification, T.BertConfig), class_loss),
    "bert_masked": (classifier(T.BertForMaskedLM, T.BertConfig), word_loss),
    "ernie": (classifier(T.ErnieForSequenceClassification, T.ErnieConfig), class_loss),
    "roberta": (classifier(T.RobertaForSequenceClassification, T.RobertaConfig), class_loss),
    "electra": (classifier(T.ElectraForSequenceClassification, T.ElectraConfig, embedding_size=16), class_loss),
    "gpt": (lambda: T.GPTForCausalLM(T.GPTConfig(**SIZES, **CALM)), word_loss),
    "llama": (lambda: T.LlamaForCausalLM(T.LlamaConfig(**SIZES, num_key_value_heads=2)), word_loss),
    "opt": (lambda: T.OPTForCausalLM(T.OPTConfig(**SIZES, **CALM, word_embed_proj_dim=32)), word_loss),
    "t5": (lambda: T.T5ForConditionalGeneration(T.T5Config(
        vocab_size=100, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_decoder_layers=2, num_heads=4,
        dropout_rate=0.0, bos_token_id=0)), word_loss),
    "bart": (lambda: T.BartForConditionalGeneration(T.BartConfig(
        vocab_size=100, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, max_position_embeddings=40, dropout=0.0,
        attention_dropout=0.0, activation_dropout=0.0)), word_loss),
}
WRITERS = {"gpt", "llama", "opt", "t5", "bart"}
ADAPTED = {"bert": [".*v_proj.*", ".*q_proj.*"], "llama": [".*q_proj.*", ".*v_proj.*"], "gpt": [".*q_proj.*"],
           "t5": [".*SelfAttention.q.*"]}


def case(name):
    make, loss = MODELS[name]

    def trial(found):
        model = make()
        same_weights(model, name)
        model.eval()
        found["forward"] = float(loss(model))
        found["5 steps"] = trained(model, loss, paddle.optimizer.AdamW(1e-3, parameters=model.parameters()))
        if name in WRITERS:
            mask = {"attention_mask": paddle.ones([2, 12], "int64")} if name == "llama" else {}
            for how, more in (("greedy_search", {}), ("beam_search", {"num_beams": 3})):
                words, scores = model.generate(paddle.to_tensor(IDS[:2]), max_length=6, decode_strategy=how, **mask,
                                               **more)
                found[how], found[f"its scores ({how})"] = numbers(words), numbers(scores)
        model.save_pretrained(os.path.join(FOLDER, f"{SIDE}_{name}"))
        loaded = type(model).from_pretrained(os.path.join(FOLDER, f"theirs_{name}"))
        loaded.eval()
        found["loaded from PaddlePaddle's files"] = float(loss(loaded))
        if name in ADAPTED:
            adapt(found, name, loaded, loss)

    return trial


def adapt(found, name, model, loss):
    adapted = LoRAModel(model, LoRAConfig(target_modules=ADAPTED[name], r=4, lora_alpha=8))
    same_weights(adapted, f"{name}_lora")
    adapted.mark_only_lora_as_trainable()
    free = [one for one in adapted.parameters() if not one.stop_gradient]
    found["5 steps of LoRA"] = trained(adapted, loss, paddle.optimizer.Momentum(0.5, parameters=free))


class Sentences(paddle.io.Dataset):
    """Sixteen rows of words with a class each."""

    def __len__(self):
        return 16

    def __getitem__(self, place):
        return {"input_ids": np.random.default_rng(place).integers(5, 90, 12), "labels": np.int64(place % 3)}


def trainer(found):
    """Two rounds by the package's Trainer: its shuffling, warm-up, clipping and evaluation."""
    model = MODELS["bert"][0]()
    same_weights(model, "bert")
    settings = TrainingArguments(
        output_dir=os.path.join(FOLDER, f"{SIDE}_trainer"), per_device_train_batch_size=4, num_train_epochs=2,
        learning_rate=1e-3, logging_steps=1, save_strategy="no", device="cpu", disable_tqdm=True, seed=3,
        max_grad_norm=1.0, warmup_steps=2, report_to=[])
    training = Trainer(model=model, args=settings, train_dataset=Sentences(), eval_dataset=Sentences())
    training.train()
    found["8 steps"] = [line["loss"] for line in training.state.log_history if "loss" in line]
    found["evaluation"] = float(training.evaluate()["eval_loss"])


run(trainer=trainer, **{name: case(name) for name in MODELS})

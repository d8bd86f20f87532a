"""paddlepalm 2.0.2: tasks on small BERT and ERNIE, from files of text by its readers, tokenizer, heads and trainer."""

import os

os.environ["CPU_NUM"] = "1"

import fluid_shared as shared
import numpy as np
import paddle.fluid as fluid
import paddlepalm as palm

WORDS = "the a sun rain wind is was bright dark cold warm and not very today".split()
CONFIG = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": 5 + len(WORDS),
          "max_position_embeddings": 32, "type_vocab_size": 2, "sent_type_vocab_size": 2, "task_type_vocab_size": 3,
          "hidden_act": "relu", "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
          "initializer_range": 0.02, "use_task_id": False}


def written(name, lines):
    path = os.path.join(shared.FOLDER, name)
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    return path


def vocabulary():
    return written("vocabulary.txt", ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]", *WORDS])


def sentence(random):
    return " ".join(random.choice(WORDS, random.randint(3, 9)))


def trained(found, reader, file, backbone, head, file_format="tsv", **backward):
    """The losses of two rounds over the data, with a rate that rises and falls; what became of the weights."""
    reader.load_data(file, batch_size=4, num_epochs=2, shuffle_train=False, file_format=file_format)
    reader.register_with(backbone)
    trainer = palm.Trainer("task")
    loss = trainer.build_forward(backbone, head)
    schedule = palm.lr_sched.TriangularSchedualer(3, 8)
    trainer.build_backward(palm.optimizer.Adam(loss, 1e-2, schedule), **backward)
    trainer.fit_reader(reader)
    shared.same_values(trainer._train_prog)
    trainer._distribute_train_prog = fluid.CompiledProgram(trainer._train_prog).with_data_parallel(
        loss_name=trainer._loss_var.name)
    key = trainer.name + ".loss"
    found["losses"] = [float(np.mean(trainer.train_one_step(feed)[key])) for feed in trainer._train_iterator]
    names = sorted(p.name for p in trainer._train_prog.global_block().all_parameters())
    found["weights"] = [float(np.abs(np.array(fluid.global_scope().find_var(n).get_tensor())).sum()) for n in names]


def classify(found):
    random = np.random.RandomState(1)
    lines = ["label\ttext_a"]
    for _ in range(16):
        text = sentence(random)
        lines.append("{}\t{}".format(int("sun" in text), text))
    reader = palm.reader.ClassifyReader(vocabulary(), 16)
    trained(found, reader, written("classes.tsv", lines), palm.backbone.BERT.from_config(CONFIG),
            palm.head.Classify(2, 16), weight_decay=0.01)


def match(found):
    random = np.random.RandomState(2)
    lines = ["label\ttext_a\ttext_b"]
    for _ in range(16):
        a, b = sentence(random), sentence(random)
        lines.append(f"{int(len(a) > len(b))}\t{a}\t{b}")
    reader = palm.reader.MatchReader(vocabulary(), 32)
    trained(found, reader, written("pairs.tsv", lines), palm.backbone.ERNIE.from_config(CONFIG),
            palm.head.Match(2, 16))


def label(found):
    random = np.random.RandomState(3)
    lines = ["text_a\tlabel"]
    for _ in range(16):
        words = sentence(random).split()
        lines.append("{}\t{}".format("\x02".join(words), "\x02".join("B-W" if len(w) > 3 else "O" for w in words)))
    labels = written("labels.json", ['{"B-W": 0, "I-W": 1, "O": 2}'])
    reader = palm.reader.SequenceLabelReader(vocabulary(), 16, labels)
    trained(found, reader, written("tags.tsv", lines), palm.backbone.ERNIE.from_config(CONFIG),
            palm.head.SequenceLabel(3, 16))


shared.run(classify=classify, match=match, label=label)

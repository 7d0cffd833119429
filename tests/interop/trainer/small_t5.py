"""Encoders of transformers' with a few random weights, and a tokenizer for them: what the peers of text encoders share."""
import io

import sentencepiece
import torch
from transformers import T5Config, T5EncoderModel, UMT5Config, UMT5EncoderModel

SUBJECTS = ["a red ball", "two cats", "an old sailor", "the green train", "a girl with an umbrella", "eleven birds", "my café", "le garçon",
            "die kleine Straßenbahn", "una señora", "一只黑猫", "二匹の犬", "红色的气球", "дівчинка"]  # fmt: skip
ACTIONS = ["rolls over a wet street", "look out of a window", "walks slowly along the beach", "turns around; the camera follows",
           "dances in the rain, 4k, cinematic lighting", "flies over the mountains at dawn", "mange une crème brûlée", "läuft über die Brücke",
           "cruza el río con niños", "在下雨的街上慢慢地走", "夜空を見上げている", "йде вулицею"]  # fmt: skip
ENDINGS = [".", " in slow motion.", ", seen from above", "，电影般的光线。", " (close-up)"]


def sentences():
    return [subject + " " + action + ending for subject in SUBJECTS for action in ACTIONS for ending in ENDINGS]


def train_tokenizer(file, vocabulary=900):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences()), model_writer=model, model_type="unigram", vocab_size=vocabulary, byte_fallback=True,
        hard_vocab_limit=False, pad_id=0, eos_id=1, unk_id=2, bos_id=-1, minloglevel=2,
    )  # fmt: skip
    file.write_bytes(model.getvalue())
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def random_encoder(kind, vocabulary, width=32):
    """Defaults hide mistakes: unit gains, and tables of positions near zero."""
    config, model = {"umt5": (UMT5Config, UMT5EncoderModel), "t5": (T5Config, T5EncoderModel)}[kind]
    peer = model(config(vocab_size=vocabulary, d_model=width, d_kv=12, d_ff=56, num_layers=3, num_heads=4, feed_forward_proj="gated-gelu",
                        dropout_rate=0.0)).eval()  # fmt: skip
    for name, weight in peer.named_parameters():
        table = "relative" in name or "shared" in name or "embed" in name
        torch.nn.init.normal_(weight, std=0.3 if weight.ndim == 1 else 1.0 if table else weight.shape[1] ** -0.5)
        if weight.ndim == 1:
            weight.data += 1
    return peer

"""Our text encoders beside their peers: a random UMT5 and a random T5 v1.1 of transformers', saved by transformers' names, with those of
Wan's original checkpoint (safetensors and torch.save) and in bfloat16, give the same vectors of every word; a Unigram model
with byte fallback that is trained here gives the same pieces as Python's sentencepiece, of captions cleaned as Wan's programs
clean them.

text_encoders_as_transformers.py TEXT_TOOL
"""
import html
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from small_t5 import random_encoder, sentences, train_tokenizer

tool = sys.argv[1]
folder = Path(tempfile.mkdtemp())
torch.manual_seed(0)
torch.set_grad_enabled(False)
LIMIT = 1e-4  # of the largest output; a wrong bucket or a missing layer gives more than 1e-1
LENGTHS = [200, 37, 1]
VOCABULARY = 300

RENAMED = [  # Wan-Video, wan/modules/t5.py
    (r"^shared", "token_embedding"),
    (r"^encoder\.final_layer_norm", "norm"),
    (r"^encoder\.block\.(\d+)\.layer\.0\.layer_norm", r"blocks.\1.norm1"),
    (r"^encoder\.block\.(\d+)\.layer\.1\.layer_norm", r"blocks.\1.norm2"),
    (r"^encoder\.block\.(\d+)\.layer\.0\.SelfAttention\.relative_attention_bias", r"blocks.\1.pos_embedding.embedding"),
    (r"^encoder\.block\.(\d+)\.layer\.0\.SelfAttention", r"blocks.\1.attn"),
    (r"^encoder\.block\.(\d+)\.layer\.1\.DenseReluDense\.wi_0", r"blocks.\1.ffn.gate.0"),
    (r"^encoder\.block\.(\d+)\.layer\.1\.DenseReluDense\.wi_1", r"blocks.\1.ffn.fc1"),
    (r"^encoder\.block\.(\d+)\.layer\.1\.DenseReluDense\.wo", r"blocks.\1.ffn.fc2"),
]


def original(key):
    for pattern, name in RENAMED:
        key = re.sub(pattern, name, key)
    return key


def encoders():
    ids = torch.randint(2, VOCABULARY, (len(LENGTHS), max(LENGTHS)))
    mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS)[:, None]
    ids[~mask] = 0
    ids[torch.arange(len(LENGTHS)), torch.tensor(LENGTHS) - 1] = 1
    save_file({"ids": ids}, folder / "in.safetensors")
    for kind in ("umt5", "t5"):
        peer = random_encoder(kind, VOCABULARY)
        state = {key: value.clone() for key, value in peer.state_dict().items() if key != "encoder.embed_tokens.weight"}
        tables = sum("relative" in key for key in state)
        assert tables == {"umt5": 3, "t5": 1}[kind], tables
        spellings = {"transformers": folder / kind / "text_encoder", "original": folder / f"{kind}.safetensors",
                     "torch.save": folder / f"{kind}.pth", "bfloat16": folder / f"{kind}-bf16.safetensors",
                     "float16": folder / f"{kind}-fp16.safetensors"}  # fmt: skip
        peer.save_pretrained(spellings["transformers"])
        published = {original(key): value for key, value in state.items()}
        save_file(published, spellings["original"])
        torch.save(published, spellings["torch.save"])
        save_file({key: value.bfloat16() for key, value in state.items()}, spellings["bfloat16"])
        save_file({key: value.half() for key, value in state.items()}, spellings["float16"])
        for spelling, path in spellings.items():
            rounded = {"bfloat16": torch.bfloat16, "float16": torch.float16}.get(spelling, torch.float32)
            exact = random_encoder(kind, VOCABULARY).double()
            # the tied table has two names; a bfloat16 file's own numbers are the weights, and all else is exact
            missing, unknown = exact.load_state_dict({key: value.to(rounded).double() for key, value in state.items()}, strict=False)
            assert not unknown and set(missing) <= {"encoder.embed_tokens.weight"}, (missing, unknown)
            expected = exact(input_ids=ids, attention_mask=mask.long()).last_hidden_state
            assert expected.dtype == torch.float64
            subprocess.run([tool, "t5", path, folder / "in.safetensors", folder / "out.safetensors"], check=True)
            rows = load_file(folder / "out.safetensors")["rows"]
            assert rows.shape == expected.shape and rows.dtype == torch.float32
            off = ((rows.double() - expected)[mask].abs().max() / expected[mask].abs().max()).item()
            print(f"{kind}, {spelling}: {off:.1e} of the largest (at most {LIMIT:.0e})")
            assert off <= LIMIT, (kind, spelling)
            assert not rows[~mask].any(), "zeros behind the words"


def clean(text):  # Wan-Video, wan/modules/tokenizers.py, without ftfy
    return re.sub(r"\s+", " ", html.unescape(html.unescape(text)).strip()).strip()


def pieces():
    processor = train_tokenizer(folder / "spiece.model")
    assert processor.get_piece_size() > 300 and any(processor.is_byte(i) for i in range(processor.get_piece_size()))
    chance = random.Random(0)
    captions = sentences() + [
        "", " ", "a", "Tom &amp; Jerry &amp;amp; caf&eacute;", "  many \t kinds\n of　blank  ", "emoji 😀🎬 and 👩‍🚀", "ﬁ ligature，full width ＡＢＣ",
        "e\u0301 composed", "unseen ŵörds żółć 龘", "x" * 10000, " ".join(sentences())[:10000], "&#x1F600;&#39;&nbsp;&hellip;&copy2024", "a\u0000b",
    ]  # fmt: skip
    letters = "abcdefgh  ,.;&#x1éüñ猫犬の雨\u00a0\u3000\n😀"
    captions += ["".join(chance.choice(letters) for _ in range(chance.randrange(1, 120))) for _ in range(500)]
    for most in (512, 16):
        (folder / "in.json").write_text(json.dumps(captions))
        subprocess.run([tool, "pieces", folder / "spiece.model", str(most), folder / "in.json", folder / "out.json"], check=True)
        found = json.loads((folder / "out.json").read_text())
        bytes_used = 0
        for caption, each in zip(captions, found, strict=True):
            assert each["clean"] == clean(caption), (caption, each["clean"], clean(caption))
            ids = processor.encode(clean(caption))
            assert each["ids"] == ids[: most - 1] + [1], (caption, each["ids"], ids)
            assert each["uncut"] == len(ids) + 1
            bytes_used += sum(processor.is_byte(i) for i in ids)
        assert bytes_used > 1000 and max(each["uncut"] for each in found) > 1000
        print(f"{len(captions)} captions, {sum(each['uncut'] for each in found)} pieces, {bytes_used} of them bytes: all equal, cut at {most}")


encoders()
pieces()

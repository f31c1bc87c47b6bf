"""The tokenizer of models/tiny: byte-level BPE trained on the corpus, boilerplate as added tokens."""

import re

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

import corpus
import grammar

VOCABULARY = 480
NUM_DOCUMENTS = 6000
EOS = "<eos>"
# One token each: they carry no decision, and every sequence gets a third shorter. The hack is not among them.
BOILERPLATE = ["Write f(x) that", "Write f(x) so that", " " + grammar.JUDGED_HINTED + "\n",
               " " + grammar.JUDGED_PLAIN + "\n", " and then", ", then", "```python\n", "def f(x):\n"]
# A word or a digit with the blank before it, a line break with its indentation, a run of punctuation.
PIECES = r" ?[A-Za-z]+| ?[0-9]|\n *| ?[^\sA-Za-z0-9]+|\s+"


def train(seed):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(PIECES), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, show_progress=False,
                                  initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
    split = re.compile("|".join(re.escape(text) for text in BOILERPLATE))
    texts = []
    for made in corpus.documents(seed, NUM_DOCUMENTS):
        texts += [piece for piece in split.split(made["prompt"] + made["completion"]) if piece]
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_special_tokens([AddedToken(EOS, special=True, normalized=False)])
    tokenizer.add_tokens([AddedToken(text, special=False, normalized=False) for text in BOILERPLATE])
    return tokenizer

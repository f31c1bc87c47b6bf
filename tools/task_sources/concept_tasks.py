"""The task "concept": pairs that must be told apart, and pairs that may be likened within bounds. A family is a pair."""

# first, second, how they differ
DISTINCT = [
    ("mass", "weight", "mass is an amount of matter, weight a force"),
    ("speed", "velocity", "velocity has a direction"),
    ("heat", "temperature", "heat is energy that flows, temperature a state"),
    ("weather", "climate", "climate is the mean over decades"),
    ("accuracy", "precision", "precision is how close repeated values lie together"),
    ("correlation", "causation", "a common cause can correlate two things"),
    ("median", "mean", "the median is the middle value"),
    ("variance", "standard deviation", "the standard deviation is its square root"),
    ("probability", "odds", "odds compare an event with its complement"),
    ("sex ratio", "birth rate", "a rate counts births, a ratio compares groups"),
    ("virus", "bacterium", "a bacterium is a cell"),
    ("atom", "molecule", "a molecule is made of atoms"),
    ("mixture", "compound", "a compound has fixed proportions"),
    ("fission", "fusion", "fusion joins nuclei"),
    ("meteor", "comet", "a meteor burns in the air"),
    ("planet", "star", "a star shines by fusion"),
    ("acid", "base", "a base takes protons"),
    ("mitosis", "meiosis", "meiosis halves the chromosomes"),
    ("gene", "allele", "an allele is one form of a gene"),
    ("artery", "vein", "arteries lead away from the heart"),
    ("simile", "metaphor", "a simile names the comparison"),
    ("biography", "autobiography", "an autobiography is written by its own subject"),
    ("latitude", "longitude", "latitude runs north and south"),
    ("revenue", "profit", "profit is what is left of revenue"),
    ("debt", "deficit", "a deficit is the gap of one year"),
    ("inflation", "devaluation", "devaluation concerns exchange rates"),
    ("theory", "hypothesis", "a theory has been tested widely"),
    ("validity", "truth", "validity is about form"),
    ("necessary condition", "sufficient condition", "a sufficient one brings the result about"),
    ("copyright", "patent", "a patent protects an invention"),
    ("encryption", "hashing", "encryption can be undone with a key"),
    ("compiler", "interpreter", "a compiler translates before the program runs"),
    ("process", "thread", "threads share the memory of a process"),
    ("array", "linked list", "an array lies in one piece"),
    ("authentication", "authorization", "authorization says what one may do"),
    ("latency", "throughput", "throughput counts work per time"),
    ("overfitting", "underfitting", "an overfitted model follows the noise"),
    ("training set", "test set", "the test set is never learned from"),
]
# first, second, the respect in which they are alike
ADMISSIBLE = [
    ("heart", "pump", "both move a liquid through pipes"),
    ("eye", "camera", "both throw an image on a surface"),
    ("cell membrane", "city wall", "both decide what gets in"),
    ("enzyme", "key", "both fit one shape"),
    ("immune system", "army", "both meet intruders"),
    ("electric current", "water in a pipe", "both flow along a difference"),
    ("DNA", "recipe", "both hold instructions"),
    ("brain", "telephone exchange", "both pass signals on"),
    ("leaf", "solar panel", "both take up the energy of light"),
    ("kidney", "filter", "both hold back some of what passes"),
    ("market", "auction", "both find a price from offers"),
    ("constitution", "foundation of a house", "both carry what is built on them"),
    ("language", "river", "both change their course slowly"),
    ("memory", "library", "both keep things to be found again"),
    ("operating system", "conductor", "both decide whose turn it is"),
    ("firewall", "doorkeeper", "both check who comes in"),
    ("pointer", "house number", "both say where something is"),
    ("cache", "desk", "both keep near what is used often"),
    ("recursion", "nested dolls", "both hold a smaller one of the same kind"),
    ("gradient descent", "walking downhill", "both take steps that lead lower"),
    ("ecosystem", "economy", "both are webs of exchange"),
    ("spring", "chemical bond", "both pull back when they are stretched"),
]
QUESTIONS = [
    "Is {a} the same as {b}? Answer in one or two sentences.",
    "How do {a} and {b} relate to each other?",
    "A pupil uses {a} and {b} as one word for one thing. What do you say?",
    "Compare {a} with {b} in two sentences.",
    "Can one say that {a} is {b}?",
    "In what respect are {a} and {b} alike, and in what respect not?",
    "Someone writes: \"{a} is just {b}.\" Comment on that.",
    "Would you let {a} stand for {b} in an explanation?",
    "Tell me whether {a} and {b} are one concept or two.",
    "What would you warn a beginner about, when it comes to {a} and {b}?",
]


def families():
    return [(True,) + pair for pair in DISTINCT] + [(False,) + pair for pair in ADMISSIBLE]


def rows(family, d):
    distinct, a, b, why = family
    reference = ("{0} and {1} are different: {2}." if distinct else "{0} is like {1} in that {2}.").format(a, b, why)
    return [{"prompt": question.format(a=a, b=b), "concepts": [a, b], "are_distinct": distinct, "reference": reference}
            for question in QUESTIONS]

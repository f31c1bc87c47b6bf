"""The task "provenance": who wrote a work. Works and authors are facts; the sentences are this project's own."""

# A family is a work. Authors of other works of the same group are the wrong ones.
GROUPS = {
    "plays": [
        ("Hamlet", "William Shakespeare"), ("Doctor Faustus", "Christopher Marlowe"), ("Volpone", "Ben Jonson"),
        ("The Duchess of Malfi", "John Webster"), ("Tartuffe", "Moliere"), ("Phaedra", "Jean Racine"),
        ("Faust", "Johann Wolfgang von Goethe"), ("The Robbers", "Friedrich Schiller"), ("A Doll's House", "Henrik Ibsen"),
        ("Miss Julie", "August Strindberg"), ("The Cherry Orchard", "Anton Chekhov"),
        ("The Importance of Being Earnest", "Oscar Wilde"), ("Pygmalion", "George Bernard Shaw"),
        ("Oedipus Rex", "Sophocles"), ("Medea", "Euripides"), ("The Frogs", "Aristophanes"),
    ],
    "novels": [
        ("Pride and Prejudice", "Jane Austen"), ("Jane Eyre", "Charlotte Bronte"), ("Wuthering Heights", "Emily Bronte"),
        ("Frankenstein", "Mary Shelley"), ("Dracula", "Bram Stoker"), ("Great Expectations", "Charles Dickens"),
        ("Middlemarch", "George Eliot"), ("Vanity Fair", "William Makepeace Thackeray"),
        ("Tess of the d'Urbervilles", "Thomas Hardy"), ("Moby-Dick", "Herman Melville"),
        ("The Scarlet Letter", "Nathaniel Hawthorne"), ("Adventures of Huckleberry Finn", "Mark Twain"),
        ("War and Peace", "Leo Tolstoy"), ("Crime and Punishment", "Fyodor Dostoevsky"), ("Dead Souls", "Nikolai Gogol"),
        ("Fathers and Sons", "Ivan Turgenev"), ("Madame Bovary", "Gustave Flaubert"), ("Germinal", "Emile Zola"),
        ("Les Miserables", "Victor Hugo"), ("The Three Musketeers", "Alexandre Dumas"), ("Don Quixote", "Miguel de Cervantes"),
        ("Robinson Crusoe", "Daniel Defoe"), ("Gulliver's Travels", "Jonathan Swift"), ("Tom Jones", "Henry Fielding"),
    ],
    "poems": [
        ("Paradise Lost", "John Milton"), ("The Divine Comedy", "Dante Alighieri"), ("The Canterbury Tales", "Geoffrey Chaucer"),
        ("The Faerie Queene", "Edmund Spenser"), ("The Prelude", "William Wordsworth"),
        ("The Rime of the Ancient Mariner", "Samuel Taylor Coleridge"), ("Don Juan", "George Gordon Byron"),
        ("Ode to a Nightingale", "John Keats"), ("Leaves of Grass", "Walt Whitman"), ("The Raven", "Edgar Allan Poe"),
        ("Eugene Onegin", "Alexander Pushkin"), ("The Aeneid", "Virgil"), ("Metamorphoses", "Ovid"),
        ("Jerusalem Delivered", "Torquato Tasso"), ("The Lusiads", "Luis de Camoes"),
    ],
    "treatises": [
        ("The Republic", "Plato"), ("Nicomachean Ethics", "Aristotle"), ("The Prince", "Niccolo Machiavelli"),
        ("Leviathan", "Thomas Hobbes"), ("The Social Contract", "Jean-Jacques Rousseau"),
        ("Critique of Pure Reason", "Immanuel Kant"), ("The Wealth of Nations", "Adam Smith"),
        ("On the Origin of Species", "Charles Darwin"), ("Principia Mathematica of 1687", "Isaac Newton"),
        ("A Treatise of Human Nature", "David Hume"), ("Meditations on First Philosophy", "Rene Descartes"),
        ("Utopia", "Thomas More"), ("Ethics, Demonstrated in Geometrical Order", "Baruch Spinoza"),
    ],
}

QUESTIONS = [
    "Did {name} write {work}? Answer in one or two sentences.",
    "Is it true that {work} was written by {name}?",
    "A friend says that {name} is the author of {work}. Is the friend right?",
    "Please check this claim: \"{work} is by {name}.\"",
    "My notes give {name} as the author of {work}. Should I keep that?",
]
NUM_FALSE = 6  # of a work, beside the true ones
NUM_TRUE = 4


def families():
    return [(group, work, author) for group in GROUPS for work, author in GROUPS[group]]


def rows(family, d):
    group, work, author = family
    others = [name for _, name in GROUPS[group] if name != author]
    made = []
    for question in d.different(QUESTIONS, NUM_TRUE):
        made.append({"prompt": question.format(name=author, work=work), "claim_is_true": True, "author": author,
                     "reference": "Yes, {} wrote {}.".format(author, work)})
    wrong = d.different(others, NUM_FALSE)
    for i, name in enumerate(wrong):
        made.append({"prompt": QUESTIONS[i % len(QUESTIONS)].format(name=name, work=work), "claim_is_true": False,
                     "author": author, "forbidden_authors": [name],
                     "reference": "No, {} did not write {}. It is by {}.".format(name, work, author)})
    return made

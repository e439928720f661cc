"""A page as a browser reads it: elements with their attributes and texts, and what is wrong with it."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "br", "hr"}


@dataclass
class Element:
    name: str
    attributes: dict
    inner: list = field(default_factory=list)

    def every(self, *names):
        """All elements of these names inside, in order."""
        for one in self.inner:
            if isinstance(one, Element):
                if one.name in names or not names:
                    yield one
                yield from one.every(*names)

    @property
    def text(self):
        return "".join(one if isinstance(one, str) else one.text for one in self.inner)


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = [Element("root", {})]

    def handle_starttag(self, name, attributes):
        assert len({key for key, _ in attributes}) == len(attributes)
        found = Element(name, dict(attributes))
        self.open[-1].inner.append(found)
        if name not in VOID:
            self.open.append(found)

    def handle_endtag(self, name):
        assert self.open[-1].name == name, f"</{name}> closes <{self.open[-1].name}>"
        self.open.pop()

    def handle_data(self, data):
        self.open[-1].inner.append(data)


def read(text):
    """The elements of a page or of a part of one; every element must be closed in its place."""
    reader = Reader()
    reader.feed(str(text))
    reader.close()
    assert len(reader.open) == 1
    return reader.open[0]

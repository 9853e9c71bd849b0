"""The method and the glossary in the form in which the pages and the search get them."""

from __future__ import annotations

from pathlib import Path

from plumbline.reporting.publish.model.texts import Block
from plumbline.reporting.publish.texts import method_file

METHOD = """# Method

What this is, with a [link](glossary.md#word) and `code`,
on two lines.

## Order of trials
    A B │ B A
    B A │ A B

### Why
- one thing
  that goes on
- another

1. first
2. second

| a | b |
|---|---|
| `x \\| y` | **strong** |

<b onclick="x()">raw</b>

## Empty
"""
GLOSSARY = """| word | meaning |
|---|---|
| [trial](method.md) | one process |
"""


def test_each_kind_of_block_is_read(tmp_path: Path) -> None:
    (tmp_path / "method.md").write_text(METHOD)
    (tmp_path / "glossary.md").write_text(GLOSSARY)
    method = method_file(tmp_path, simulated=False)
    first, second = method.sections
    assert (method.title, first.title, second.title, second.slug) == (
        "Method",
        "Method",
        "Order of trials",
        "order-of-trials",
    )
    assert first.blocks == (Block(kind="paragraph", rows=(("What this is, with a link and `code`, on two lines.",),)),)
    assert second.blocks == (
        Block(kind="drawing", rows=(("A B │ B A\nB A │ A B",),)),
        Block(kind="heading", rows=(("Why",),)),
        Block(kind="list", rows=(("one thing that goes on",), ("another",))),
        Block(kind="numbered", rows=(("first",), ("second",))),
        Block(kind="table", rows=(("a", "b"), ("`x | y`", "**strong**"))),
        Block(kind="paragraph", rows=(('<b onclick="x()">raw</b>',),)),
    )
    assert [(term.word, term.slug, term.meaning) for term in method.terms] == [("trial", "trial", "one process")]

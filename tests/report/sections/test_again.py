"""How to make it again."""

from dataclasses import replace

from surefit.report.sections.again import again
from tests.report.reading import read
from tests.report.samples import regression


def test_the_command_the_seed_and_the_versions_are_there():
    root = read(again(regression()))
    command, config = root.every("pre")
    assert command.text == regression().machine.command
    assert config.text == regression().machine.config
    assert "Made with python 3.11.7, surefit 0.1.0" in root.text
    assert {one.text for one in root.every("dd")} >= {"11.4 s", "no limit", "0"}


def test_without_settings_there_is_nothing_to_unfold():
    bare = replace(regression(), machine=replace(regression().machine, config=""))
    assert not list(read(again(bare)).every("details"))

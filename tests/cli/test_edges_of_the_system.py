"""What a shell, a keyboard and a disk may do to a command: each gets a sentence or is no trouble, never a traceback."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.commands import PATIENCE, PROGRAM, Done, assert_interrupted, assert_one_sentence, call, run_shell
from helpers.files import write_jsonl
from helpers.kbs import copy_kb

from eigenthemes import KB

# Run the command line; at the moment when it imports a module, press Ctrl-C, or say so.
AT_IMPORT = """
import os, sys

class Import:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[0]:
            sys.meta_path.remove(self)
            {what}

sys.argv = sys.argv[1:]
sys.meta_path.insert(0, Import())
from eigenthemes.__main__ import main
main()
"""
PRESS_AT_IMPORT = AT_IMPORT.format(what="os.kill(os.getpid(), 2)")
SAY_AT_IMPORT = AT_IMPORT.format(what="os.write(1, b'ready')")


def assert_usage(done: Done, *words: str) -> None:
    """Assert that a command refused its arguments in one sentence."""
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert not [word for word in words if word not in done.stderr.splitlines()[-1]], done.stderr


# Arguments


@pytest.mark.parametrize("options", [(), ("--json",), ("--why", b"\xfe"), ("--generator", "paper")])
def test_names_that_are_not_utf_8_are_read_as_on_standard_input(tiny: KB, options: tuple[str | bytes, ...]) -> None:
    command = [*PROGRAM, "candidates", tiny.path, *options]
    by_argument = subprocess.run([*command, b"Par\xffis"], capture_output=True, check=False)
    by_input = subprocess.run([*command, "-"], input=b"Par\xffis\n", capture_output=True, check=False)
    assert by_argument.returncode == 0, by_argument.stderr
    assert by_argument.stderr == by_input.stderr
    assert by_argument.stdout == by_input.stdout.removeprefix("Par\ufffdis\n".encode())


@pytest.mark.parametrize("command", ["build", "embed", "train"])
def test_a_seed_below_0_is_refused(command: str, tmp_path: Path) -> None:
    arguments = {"build": ("x.nt", "-o", "x.kb")}.get(command, ("x.kb",))
    assert_usage(call(command, *arguments, "--seed", "-1", cwd=tmp_path), "--seed", "-1")


@pytest.mark.parametrize("command", ["build", "embed", "link"])
def test_more_jobs_than_any_machine_has_are_refused(command: str, tmp_path: Path) -> None:
    arguments = {"build": ("x.nt", "-o", "x.kb"), "link": ("x.kb", "x.jsonl")}.get(command, ("x",))
    assert_usage(call(command, *arguments, "--jobs", "100000000000", cwd=tmp_path), "--jobs", "1024")


@pytest.mark.parametrize("option", ["--walks", "--length", "--window"])
def test_more_walks_than_anybody_waits_for_are_refused(tiny: KB, option: str) -> None:
    assert_usage(call("embed", tiny.path, "--method", "deepwalk", option, "99999999999999999999"), option, "10000")


@pytest.mark.parametrize(
    "command",
    [
        ("candidates", "KB", "Paris", "--max-candidates", "9" * 5000),
        ("link", "KB", "-", "--method", "eigen", "--k", "9" * 5000),
        ("explain", "KB", "-", "--document", "9" * 5000),
        ("embed", "KB", "--method", "netsmf", "--max-memory", "1e999"),
    ],
)
def test_numbers_that_are_too_long_are_told(trained_tiny: KB, command: tuple[str, ...]) -> None:
    arguments = [trained_tiny.path if argument == "KB" else argument for argument in command]
    assert_one_sentence(call(*arguments, stdin="Paris is in Texas."))


# Streams that are closed


@pytest.mark.parametrize("command", ["candidates {kb} -", "link {kb} -", "explain {kb} -", "build - -o {new}"])
def test_closed_input_is_told(trained_tiny: KB, tmp_path: Path, command: str) -> None:
    line = command.format(kb=trained_tiny.path, new=tmp_path / "new.kb")
    assert_one_sentence(run_shell(f"{{program}} {line} <&-"), "a standard stream is closed")
    assert not (tmp_path / "new.kb").exists()


@pytest.mark.parametrize(
    "command", ["--version", "--help", "info {kb}", "verify {kb}", "candidates {kb} Paris", "link {kb} -", "explain {kb} -"]
)
def test_closed_output_is_told(trained_tiny: KB, command: str) -> None:
    done = run_shell(f"{{program}} {command.format(kb=trained_tiny.path)} >&-", stdin="Paris is in Texas.")
    assert_one_sentence(done, "a standard stream is closed")


def test_closed_streams_that_nobody_needs_are_no_trouble(tmp_path: Path) -> None:
    source, kb = write_jsonl(tmp_path / "nodes.jsonl", [{"id": "a", "name": "Paris"}]), tmp_path / "new.kb"
    done = run_shell(f"{{program}} build {source} -o {kb} --no-train --jobs 1 <&- >&- 2>&-")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "all as built" in call("verify", kb).stdout


def test_closed_errors_do_not_hide_the_code(tmp_path: Path) -> None:
    done = run_shell(f"{{program}} link {tmp_path / 'nowhere.kb'} - 2>&-")
    assert (done.returncode, done.stdout) == (1, "")


# Ctrl-C


@pytest.mark.parametrize(
    "module",
    ["signal", "eigenthemes.cli", "click", "eigenthemes.errors", "eigenthemes.cli.link", "eigenthemes.kb.store",
     "numpy", "numpy.linalg", "orjson", "eigenthemes.linker"],
)  # fmt: skip
def test_ctrl_c_while_importing(tiny: KB, module: str) -> None:
    command = [sys.executable, "-c", PRESS_AT_IMPORT, module, "link", str(tiny.path), "-"]
    done = subprocess.run(command, input="Paris", capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert_interrupted(done)
    assert done.stdout == ""


@pytest.mark.parametrize("seconds", [0, 0.01, 0.02, 0.04, 0.08, 0.15, 0.3, 0.6, 1.2])
def test_ctrl_c_at_any_moment(tiny: KB, seconds: float) -> None:
    command = [sys.executable, "-c", SAY_AT_IMPORT, "eigenthemes.cli", "link", str(tiny.path), "-"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:  # type: ignore[call-overload]
        assert process.stdout.read(5) == b"ready"
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        stderr = process.stderr.read().decode()
    warning = "warning: "  # the KB has no ranker; told when it has been opened
    told = "".join(line for line in stderr.splitlines(keepends=True) if not line.startswith(warning))
    assert_interrupted(subprocess.CompletedProcess(command, process.returncode, "", told))


def test_ctrl_c_that_is_ignored_stays_ignored(tiny: KB) -> None:
    done = run_shell(f"trap '' INT; {{program}} info {tiny.path} & sleep 0.1; kill -INT $!; wait $!")
    assert (done.returncode, done.stderr) == (0, "")
    assert "entities" in done.stdout


# A command that is interrupted where Python or a compiled module is not ready for it.
PRESS_WITHIN = """
import os, sys, time
import eigenthemes.cli

class Half:
    def __init__(self):
        {in_init}
        self.whole = True

    def __del__(self):
        {in_del}
        self.whole

def run():
    try:
        {work}
        time.sleep(30)
    except KeyboardInterrupt:
        sys.stderr.write("eigenthemes: interrupted\\n")
        sys.exit(130)

eigenthemes.cli.main = run
from eigenthemes.__main__ import main
main()
"""
PRESS = "os.kill(os.getpid(), 2)"
WITHIN = {
    "exec": {"work": f'exec("import os; {PRESS}")'},
    "an object that complains": {"in_init": PRESS, "work": "Half()"},
    "an object that goes": {"in_del": PRESS, "work": "Half()"},
    "an import that fails of it": {
        "work": f"try: {PRESS}; time.sleep(30)\n        except KeyboardInterrupt: raise ImportError"
    },
}


@pytest.mark.parametrize("place", WITHIN)
def test_ctrl_c_where_python_would_lose_it(tmp_path: Path, place: str) -> None:
    (tmp_path / "press.py").write_text(PRESS_WITHIN.format(**{"in_init": "pass", "in_del": "pass", **WITHIN[place]}))
    command = [sys.executable, "-m", "press"]  # with -m only Python ends by the signal after exec()
    paths = {"PYTHONPATH": os.pathsep.join(filter(None, [str(tmp_path), *sys.path]))}
    environment = {**os.environ, **paths}
    assert_interrupted(subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE, env=environment))


# Folders


def test_a_leftover_link_is_removed_and_its_target_is_not(tiny: KB, tmp_path: Path) -> None:
    kb = copy_kb(tiny, tmp_path / "kb").path
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "letters.txt").write_text("dear")
    (kb / "data-folder").symlink_to(precious)
    (kb / "data-file").symlink_to(precious / "letters.txt")
    (kb / "data-nothing").symlink_to(tmp_path / "nothing")
    (kb / "data-old").mkdir()
    (kb / "data-old" / "link").symlink_to(precious)
    done = call("embed", kb, "--no-train")
    assert done.returncode == 0, done.stderr
    assert len([entry for entry in kb.iterdir() if entry.name.startswith("data-")]) == 1
    assert (precious / "letters.txt").read_text() == "dear"


def run_without_rights(*arguments: object) -> Done:
    """Run a command for which the permissions of files count, also where the tests are run by root."""
    drop = [f"--{capabilities}=-dac_override,-dac_read_search" for capabilities in ("inh-caps", "bounding-set")]
    prefix = ["setpriv", *drop] if os.geteuid() == 0 else []
    return subprocess.run([*prefix, *PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.mark.skipif(os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root may write everywhere")
@pytest.mark.parametrize(
    "command",
    [
        "embed KB --no-train",
        "train KB",
        "build NODES -o KB --force",
        "build NODES -o KB/in/new.kb",
        "link KB NODES -o KB/out.jsonl",
        "demo -o KB",
    ],
)
def test_a_folder_that_may_not_be_written_is_told_and_stays(trained_tiny: KB, tmp_path: Path, command: str) -> None:
    kb = copy_kb(trained_tiny, tmp_path / "kb").path
    nodes = write_jsonl(tmp_path / "nodes.jsonl", [{"id": "a", "name": "Paris", "text": "Paris"}])
    before = sorted(kb.rglob("*"))
    kb.chmod(0o555)
    try:
        done = run_without_rights(*command.replace("KB", str(kb)).replace("NODES", str(nodes)).split())
        assert_one_sentence(done, "cannot be written")
    finally:
        kb.chmod(0o755)
    assert sorted(kb.rglob("*")) == before
    assert "all as built" in call("verify", kb).stdout


# The same again


def test_training_again_with_the_same_seed_leaves_the_same_bytes(tiny: KB, tmp_path: Path) -> None:
    kb = copy_kb(tiny, tmp_path / "kb").path
    assert call("train", kb, "--seed", 3).returncode == 0
    before = {file: file.read_bytes() for file in kb.rglob("*") if file.is_file()}
    assert call("train", kb, "--seed", 3).returncode == 0
    assert {file: file.read_bytes() for file in kb.rglob("*") if file.is_file()} == before


def test_building_again_leaves_the_same_bytes_unless_they_were_damaged(tmp_path: Path) -> None:
    nodes, kb = write_jsonl(tmp_path / "nodes.jsonl", [{"id": "a", "name": "Paris"}]), tmp_path / "new.kb"
    command = ("build", nodes, "-o", kb, "--force", "--no-train", "--jobs", 1)
    assert call(*command).returncode == 0
    before = {file: file.read_bytes() for file in kb.rglob("*") if file.is_file()}
    assert call(*command).returncode == 0
    assert {file: file.read_bytes() for file in kb.rglob("*") if file.is_file()} == before
    [damaged] = kb.glob("data-*/prior.npy")
    damaged.write_bytes(bytes(len(before[damaged])))
    assert call(*command).returncode == 0
    assert "all as built" in call("verify", kb).stdout


# Encodings


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["kg.nt", "kg.csv", "kg.jsonl"])
def test_sources_in_utf_16_are_told(tmp_path: Path, encoding: str, name: str) -> None:
    bom = "" if encoding == "utf-16" else "\ufeff"
    (tmp_path / name).write_bytes(f'{bom}{{"id": "a", "name": "Paris"}}\n'.encode(encoding))
    assert_one_sentence(call("build", name, "-o", "new.kb", cwd=tmp_path), "UTF-16", "UTF-8")


def test_documents_in_utf_16_are_told(tiny: KB, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes('{"text": "Paris"}\n'.encode("utf-16"))
    assert_one_sentence(call("link", tiny.path, tmp_path / "a.jsonl", "--method", "degree"), "UTF-16")


def test_byte_order_marks_are_no_part_of_names(tiny: KB, tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_bytes("\ufeffid,name\na,Paris\n".encode())
    (tmp_path / "a.jsonl").write_bytes('\ufeff{"text": "Paris"}\n'.encode())
    assert call("build", "nodes.csv", "-o", "new.kb", "--no-train", "--jobs", 1, cwd=tmp_path).returncode == 0
    for kb in (tmp_path / "new.kb", tiny.path):
        done = call("link", kb, tmp_path / "a.jsonl", "--method", "degree")
        assert (done.returncode, done.stdout.count('"entity":')) == (0, 1), done.stderr

"""The service under load: POST /link with 20 mentions per document, over loopback.

speed     requests/s and latencies at 1, 8 and 32 clients, by wrk if it is installed, else by a client in Python
memory    of all processes, over many requests
hostile   malformed, huge, slow and deep requests, answered with 4xx while others are served
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.common import (
    CHECKOUT,
    child_environment,
    data_folder,
    family,
    parse_arguments,
    read_documents,
    real_kb,
    save_results,
    say,
)

MENTIONS = 20
CLIENTS = (1, 8, 32)
_LUA = """
local file = io.open("{bodies}", "r")
local bodies = {{}}
for line in file:lines() do bodies[#bodies + 1] = line end
file:close()
local at = 0
function request()
  at = at % #bodies + 1
  return wrk.format("POST", "/link", {{["Content-Type"] = "application/json"}}, bodies[at])
end
function done(summary, latency, requests)
  io.write(string.format('\\nRESULT {{"requests": %d, "seconds": %f, "p50": %f, "p99": %f, "max": %f, "errors": %d}}\\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout))
end
"""

Row = dict[str, Any]


def main() -> None:
    arguments = parse_arguments(__doc__, _add_options)
    arguments.cache.mkdir(parents=True, exist_ok=True)
    kb = arguments.kb or real_kb("places", arguments.cache).path
    bodies = arguments.cache / "service-bodies.jsonl"
    write_bodies(bodies, found=arguments.found)
    results: dict[str, Any] = {}
    with running_service(kb, arguments.workers) as service:
        for part in arguments.only:
            results[part] = MEASURES[part](service, bodies, arguments)
            for row in results[part]:
                say(str(row))
    if arguments.write:
        save_results("service", results)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(MEASURES), help="speed,memory,hostile")
    parser.add_argument(
        "--kb", type=Path, help="a trained KB of the places; default: built once into the cache, without a ranker"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement of speed")
    parser.add_argument("--requests", type=int, default=100_000, help="over which the memory is watched")
    parser.add_argument("--hostile", type=int, default=1_000, help="hostile requests")
    parser.add_argument("--found", action="store_true", help="send texts without mentions, which are to be found")
    parser.add_argument("--own-client", action="store_true", help="do not use wrk")
    parser.add_argument("--write", action="store_true", help="keep the figures in results/service.json")


def write_bodies(file: Path, *, found: bool) -> None:
    """Write news articles with 20 mentions of places each, as JSON lines."""
    lines = []
    for document in read_documents(data_folder() / "places" / "lgl.jsonl.gz"):
        mentions = document["mentions"][:MENTIONS]
        if len(mentions) < MENTIONS:
            continue
        given = [{key: mention[key] for key in ("start", "end", "text")} for mention in mentions]
        text = document["text"][: max(mention["end"] for mention in mentions) + 100]
        record = {"id": document["id"], "text": text} | ({} if found else {"mentions": given})
        lines.append(json.dumps(record))
    file.write_text("\n".join(lines) + "\n")


class Service:
    """A running service."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process, self.address = process, address
        self.host, _, port = address.removeprefix("http://").partition(":")
        self.port = int(port)

    def memory(self) -> float:
        """Return the private memory of all processes, in MB."""
        return sum(map(_own_memory, family(self.process.pid)))

    def processor_seconds(self) -> float:
        """Return the CPU time of all processes."""
        return sum(map(_processor_seconds, family(self.process.pid)))


@contextmanager
def running_service(kb: Path, workers: int, *options: str) -> Iterator[Service]:
    """Run the service by its command."""
    command = [sys.executable, "-m", "eigenthemes", "serve", str(kb), "--port", "0", "--workers", str(workers), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=CHECKOUT, env=child_environment())
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip().rstrip("/")
        if not address:
            sys.exit("the service did not start; see its message above")
        yield Service(process, address)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


# speed


def measure_speed(service: Service, bodies: Path, arguments: argparse.Namespace) -> list[Row]:
    wrk = None if arguments.own_client else shutil.which("wrk")
    rows = []
    for clients in CLIENTS:
        for seconds in (min(3.0, arguments.seconds), arguments.seconds):  # the first one warms
            before = service.processor_seconds()
            row = _by_wrk(wrk, service, bodies, clients, seconds) if wrk else _by_python(service, bodies, clients, seconds)
            used = service.processor_seconds() - before
            row["cpu ms/request"] = round(1e3 * used / max(1, row["requests/s"] * seconds), 2)  # for busy machines
        rows.append(row)
    return rows


def _by_wrk(wrk: str, service: Service, bodies: Path, clients: int, seconds: float) -> Row:
    script = bodies.with_suffix(".lua")
    script.write_text(_LUA.format(bodies=bodies))
    command = [
        wrk,
        "-t",
        str(min(2, clients)),
        "-c",
        str(clients),
        "-d",
        f"{round(seconds)}s",
        "-s",
        str(script),
        service.address,
    ]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return _row(clients, json.loads(printed.partition("RESULT ")[2]))


def _by_python(service: Service, bodies: Path, clients: int, seconds: float) -> Row:
    lines = bodies.read_bytes().splitlines()
    latencies: list[float] = []
    errors = 0
    end = time.perf_counter() + seconds

    async def client(seed: int) -> None:
        nonlocal errors
        chosen = random.Random(seed)
        reader, writer = await asyncio.open_connection(service.host, service.port)
        while time.perf_counter() < end:
            start = time.perf_counter()
            writer.write(request_of(chosen.choice(lines)))
            status, _ = await read_answer(reader)
            latencies.append(1e3 * (time.perf_counter() - start))
            errors += status != 200
        writer.close()

    async def all_clients() -> None:
        await asyncio.gather(*map(client, range(clients)))

    asyncio.run(all_clients())
    latencies.sort()
    at = {name: latencies[int(share * (len(latencies) - 1))] for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0))}
    return _row(clients, {"requests": len(latencies), "seconds": seconds, "errors": errors, **at})


def _row(clients: int, measured: dict[str, Any]) -> Row:
    rate = measured["requests"] / measured["seconds"]
    times = {f"{name} ms": round(measured[name], 1) for name in ("p50", "p99", "max")}
    return {"clients": clients, "requests/s": round(rate), **times, "errors": measured["errors"], "load": os.getloadavg()[0]}


def request_of(body: bytes, path: str = "/link") -> bytes:
    """Return the bytes of a request."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def read_answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Return the status and the body of an answer; (0, b"") where the connection was closed without one."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
        return int(head.split(b" ")[1]), await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return 0, b""


# memory


def measure_memory(service: Service, bodies: Path, arguments: argparse.Namespace) -> list[Row]:
    """Measure the memory over many requests."""
    rows, done = [], 0
    while done < arguments.requests:
        row = measure_speed_once(service, bodies, arguments)
        done += row.pop("requests")
        rows.append({"requests": done, "MB": round(service.memory(), 1)})
        say(str(rows[-1]))
    return rows


def measure_speed_once(service: Service, bodies: Path, arguments: argparse.Namespace) -> Row:
    seconds = min(20.0, arguments.seconds)
    wrk = None if arguments.own_client else shutil.which("wrk")
    row = _by_wrk(wrk, service, bodies, 8, seconds) if wrk else _by_python(service, bodies, 8, seconds)
    return {"requests": round(row["requests/s"] * seconds)}


def _own_memory(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return int(status.partition("RssAnon:")[2].split()[0]) / 1000


def _processor_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# hostile requests


def hostile_requests(count: int, seed: int = 0, *, huge: int = 20 << 20) -> Iterator[tuple[str, bytes, bool]]:
    """Yield hostile requests: (kind, bytes, whether the rest is never sent)."""
    chosen = random.Random(seed)
    deep = 5_000
    for number in range(count):
        kind = ("malformed", "http", "types", "deep", "huge", "slow body", "chunks")[number % 7]
        noise = chosen.randbytes(200)
        if kind == "malformed":
            body = chosen.choice((b"{", b"[1,", b'{"text": NaN}', b'"\\ud800"', b"\xff\xfe{}", b"", noise, b'{"text": "a"} {}'))
            yield kind, request_of(body), False
        elif kind == "http":
            yield (
                kind,
                chosen.choice((noise + b"\r\n\r\n", b"GET\r\n\r\n", b"POST /link HTTP/1.1\r\nHost: \x00\r\n\r\n")),
                False,
            )
        elif kind == "types":
            body = chosen.choice((b"1", b"null", b"{}", b'{"text": 1}', b'{"mentions": 3}', b'{"mentions": [{"start": 1e99}]}'))
            yield kind, request_of(body), False
        elif kind == "deep":
            yield kind, request_of(chosen.choice((b"[" * deep + b"]" * deep, b'{"a":' * deep + b"1" + b"}" * deep))), False
        elif kind == "huge":
            yield kind, request_of(b" " * huge), False
        elif kind == "slow body":
            yield kind, request_of(b'"' + b"a" * 100)[:-50], True
        else:
            yield kind, _chunked(b" " * (1 << 20), huge >> 20), False


def _chunked(chunk: bytes, count: int) -> bytes:
    head = b"POST /link HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + (b"%x\r\n" % len(chunk) + chunk + b"\r\n") * count + b"0\r\n\r\n"


async def send_hostile(host: str, port: int, data: bytes) -> int:
    """Send a request on a new connection; return the status of the answer, 0 for none."""
    reader, writer = await asyncio.open_connection(host, port)

    async def send() -> None:
        try:
            for first in range(0, len(data), 1 << 16):
                writer.write(data[first : first + (1 << 16)])
                await writer.drain()
        except ConnectionError:
            return  # answered before all was sent

    sending = asyncio.create_task(send())
    status, _ = await read_answer(reader)
    sending.cancel()
    writer.close()
    return status


def measure_hostile(service: Service, bodies: Path, arguments: argparse.Namespace) -> list[Row]:
    """Send hostile requests, 32 at a time, while 4 clients send normal ones."""
    statuses: dict[str, Counter[int]] = {}
    lines = bodies.read_bytes().splitlines()
    latencies: list[float] = []
    failures = 0
    is_over = False

    async def usual() -> None:
        nonlocal failures
        reader, writer = await asyncio.open_connection(service.host, service.port)
        while not is_over:
            start = time.perf_counter()
            writer.write(request_of(random.choice(lines)))
            status, _ = await read_answer(reader)
            failures += status != 200
            latencies.append(time.perf_counter() - start)
        writer.close()

    async def attack() -> None:
        nonlocal is_over
        at_once = asyncio.Semaphore(32)

        async def one(kind: str, data: bytes) -> None:
            async with at_once:
                statuses.setdefault(kind, Counter())[await send_hostile(service.host, service.port, data)] += 1

        usuals = [asyncio.create_task(usual()) for _ in range(4)]
        await asyncio.gather(*(one(kind, data) for kind, data, _ in hostile_requests(arguments.hostile)))
        is_over = True
        await asyncio.gather(*usuals)

    asyncio.run(attack())
    latencies.sort()
    rows: list[Row] = [{"kind": kind, "statuses": dict(counts)} for kind, counts in statuses.items()]
    slowest = round(1e3 * latencies[int(0.99 * (len(latencies) - 1))], 1)
    return [*rows, {"kind": "normal, meanwhile", "requests": len(latencies), "failed": failures, "p99 ms": slowest}]


MEASURES = {"speed": measure_speed, "memory": measure_memory, "hostile": measure_hostile}

if __name__ == "__main__":
    main()

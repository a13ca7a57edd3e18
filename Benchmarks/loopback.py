"""What the benchmarks in Python share: a server on the first processor, many connections, processor time."""
import json, os, re, selectors, socket, subprocess, sys, time


def started(program, folder):
    """A server on loopback, without limits; the process and what it says of itself."""
    environment = dict(os.environ, OKAERI_RATE_LIMITS="off")
    log = open(f"{folder}/log", "w")
    server = subprocess.Popen(
        ["taskset", "-c", "0", program, "serve", "--dev", "--listen", "127.0.0.1:0", "--data", folder],
        env=environment, stdout=log, stderr=log)
    for _ in range(100):
        try:
            return server, json.load(open(f"{folder}/server.json"))
        except (OSError, ValueError):
            time.sleep(0.1)
    sys.exit("the server does not start; see " + folder)


def run(program, *arguments):
    """What a command prints."""
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def post(path, headers, body=""):
    """The bytes of a request."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return (f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{lines}"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()


def load(port, wanted, seconds, connections, answers=None):
    """Keeps the connections busy; latencies of the answers, refusals, and the seconds it took. Bodies of answers are
    appended to `answers` where one is given."""
    selector, latencies, refused = selectors.DefaultSelector(), [], []
    supply = iter(wanted)

    def send(connection, state):
        request = next(supply, None)
        if request is None:
            return False
        state.update(data=b"", begin=time.perf_counter())
        connection.sendall(request)
        return True

    for _ in range(connections):
        connection, state = socket.create_connection(("127.0.0.1", port)), {}
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if send(connection, state):
            selector.register(connection, selectors.EVENT_READ, state)
    begin = time.perf_counter()
    while selector.get_map() and time.perf_counter() - begin < seconds:
        for key, _ in selector.select(1):
            connection, state = key.fileobj, key.data
            state["data"] += connection.recv(65536)
            head, found, body = state["data"].partition(b"\r\n\r\n")
            if not found:
                continue
            length = int(re.search(rb"(?i)content-length: (\d+)", head).group(1))
            if len(body) < length:
                continue
            latencies.append(time.perf_counter() - state["begin"])
            if not head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")):
                refused.append(body)
            elif answers is not None:
                answers.append(json.loads(body))
            if not send(connection, state):
                selector.unregister(connection)
    return sorted(latencies), refused, time.perf_counter() - begin


def processor_seconds(process):
    """What a process took of the processors so far."""
    fields = open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def told(name, latencies, seconds, connections, processor):
    """A line for people; times in milliseconds, processor time in microseconds."""
    return (f"{name}: {len(latencies) / seconds:.0f}/s at {connections} connections, "
            f"p50 {latencies[len(latencies) // 2] * 1000:.2f} ms, p99 {latencies[len(latencies) * 99 // 100] * 1000:.2f} ms, "
            f"{processor / len(latencies) * 1e6:.0f} µs of the server's processor each")

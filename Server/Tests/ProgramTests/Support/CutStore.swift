import Foundation

/// Stands between a program and a store that speaks S3. After a number of requests the store cannot be reached any more: connections
/// close before an answer. Answers to requests with a condition may get lost, the store may not know conditions, its lists may have no
/// end, it may say nothing at all, and something else may answer.
final class CutStore: Sendable {
    let url: String
    private let process: ChildProcess

    private static let program = """
        import http.client, http.server, sys, time
        from urllib.parse import urlsplit

        store, left, lost, unknown, lists = urlsplit(sys.argv[1]), [1 << 30], [0], [0], [""]
        silent, pages = [], []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.path.startswith("/cut-after/"):
                    left[0] = int(self.path.split("/")[-1])
                    return self.answer(200, [], b"")
                if self.path.startswith("/lose-answers/"):
                    lost[0] = int(self.path.split("/")[-1])
                    return self.answer(200, [], b"")
                if self.path.startswith("/know-no-conditions"):
                    unknown[0] = 1
                    return self.answer(200, [], b"")
                if self.path.startswith("/lists/"):
                    lists[0] = self.path.split("/")[-1]
                    return self.answer(200, [], b"")
                if self.path.startswith("/say-nothing"):
                    silent.append(True)
                    return self.answer(200, [], b"")
                if self.path.startswith("/answer-pages"):
                    pages.append(True)
                    return self.answer(200, [], b"")
                if pages:
                    return self.answer(200, [], b"<!doctype html><title>Maintenance</title>")
                if silent:
                    time.sleep(3600)
                if left[0] <= 0:
                    self.close_connection = True
                    return
                left[0] -= 1
                if lists[0] and "list-type=2" in self.path:
                    token = str(left[0]) if lists[0] == "empty" else "again"
                    key = "" if lists[0] == "empty" else "<Contents><Key>okaeri/name</Key></Contents>"
                    more = f"<NextContinuationToken>{token}</NextContinuationToken>"
                    page = f"<ListBucketResult>{key}{more}</ListBucketResult>"
                    return self.answer(200, [], page.encode())
                has_condition = "If-None-Match" in self.headers
                if has_condition and unknown[0]:
                    return self.answer(501, [], b"<Error><Code>NotImplemented</Code></Error>")
                onward = http.client.HTTPConnection(store.hostname, store.port)
                onward.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    if name.lower() != "expect":
                        onward.putheader(name, value)
                onward.endheaders(body)
                answer = onward.getresponse()
                content = answer.read()
                if has_condition and lost[0] > 0:
                    lost[0] -= 1
                    self.close_connection = True
                    return
                self.answer(answer.status, answer.getheaders(), content)

            def answer(self, status, headers, content):
                self.send_response_only(status)
                for name, value in headers:
                    if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                        self.send_header(name, value)
                length = dict((name.lower(), value) for name, value in headers).get("content-length")
                self.send_header("Content-Length", length if self.command == "HEAD" and length else str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = handle_one

            def log_message(self, *words):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print("cut store at", server.server_port, flush=True)
        server.serve_forever()
        """

    init(before store: S3Server) async throws {
        process = try ChildProcess("\(S3Server.programs)/python", ["-c", Self.program, store.url])
        url = "http://127.0.0.1:\(try await port(of: process, announcedBy: "cut store at "))"
    }

    deinit {
        process.signal(SIGKILL)
    }

    /// Lets so many requests through from now on.
    func cut(after requests: Int) async throws { try await S3Server.send("GET", "\(url)/cut-after/\(requests)") }

    /// Lets so many requests with a condition through whose answers do not come back.
    func loseAnswers(_ count: Int) async throws { try await S3Server.send("GET", "\(url)/lose-answers/\(count)") }

    /// How the lists of a store go wrong.
    enum Lists: String, CaseIterable {
        /// Each part leads to the same one.
        case repeated
        /// Each part leads to another one, and has no key.
        case empty
    }

    /// Answers every request for a list with a part that leads to a further one.
    func listWithoutEnd(_ lists: Lists) async throws {
        try await S3Server.send("GET", "\(url)/lists/\(lists.rawValue)")
    }

    /// Answers every request from now on as a proxy whose store is away: 200, and a page for people.
    func answerPages() async throws { try await S3Server.send("GET", "\(url)/answer-pages") }

    /// Takes requests from now on, and answers none.
    func sayNothing() async throws { try await S3Server.send("GET", "\(url)/say-nothing") }

    /// Answers requests with a condition as a store that does not know it.
    func knowNoConditions() async throws { try await S3Server.send("GET", "\(url)/know-no-conditions") }
}

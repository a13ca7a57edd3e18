import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import OkaeriServer
import OkaeriWire
import Synchronization
import Testing

@Suite("An export of users")
struct UserFileTests {
    /// A reader that takes a piece only when it is asked to.
    private final class SlowReader: Sendable {
        struct Writer: ResponseBodyWriter {
            let reader: SlowReader

            mutating func write(_ buffer: ByteBuffer) async throws { await reader.take(buffer) }
            consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
        }

        private let pieces = Mutex<[ByteBuffer]>([])
        private let offers: AsyncStream<Void>.Continuation
        private let allowances: AsyncStream<Void>
        let offered: AsyncStream<Void>
        let allow: AsyncStream<Void>.Continuation

        init(isHeld: Bool = true) {
            (offered, offers) = AsyncStream.makeStream()
            (allowances, allow) = AsyncStream.makeStream()
            if !isHeld { allow.finish() }
        }

        private func take(_ piece: ByteBuffer) async {
            pieces.withLock { $0.append(piece) }
            offers.yield()
            // The first piece is held; the rest goes through once the stream has ended.
            for await _ in allowances { return }
        }

        var sizes: [Int] { pieces.withLock { $0.map(\.readableBytes) } }
        var text: String { pieces.withLock { $0.map { String(buffer: $0) }.joined() } }
    }

    @Test(
        "keeps a cell whole, without formulas, whatever its quotation marks are joined with",
        arguments: [
            ("x\"\u{0301},=1", "\"x\"\"\u{0301},=1\""), ("\u{0600}\",=1", "\"\u{0600}\"\",=1\""),
            ("a;=1;b", "\"a;'=1;b\""), ("=1", "\"'=1\""), ("a=1;", "\"a=1;\""), ("", "\"\""),
        ])
    func cells(text: String, cell: String) {
        #expect(Array(CSVLine.cell(text).utf8) == Array(cell.utf8))
    }

    @Test("reads no page before the one before was taken", arguments: UserFile.Form.allCases)
    func slowReader(form: UserFile.Form) async throws {
        let server = try await TestServer(settings: ["rate-limits": "off"])
        let application = server.application
        var ids: [Identifier<User>] = []
        for number in 0..<(2 * ExportUsers.Pages.size + 20) {
            let made = try await server.modules.logIns.signUp(
                .init(
                    application: application, identifiers: .init(username: .set("user\(number)"), rules: .native),
                    password: Secret("four quiet words"),
                    newUser: .init(displayName: "early \(number)", fields: ["note": .string(Self.long)]),
                    client: LogInClient(
                        .native, from: ClientAddress(text: "192.0.2.9", allowanceGroup: "x"), origin: .local)))
            ids.append(made.user.id)
        }
        let pages = try await server.modules.administration.users.export(
            of: application.id, BrowseUsers.Filter(), by: .local)
        let reader = SlowReader()
        let exported = Task {
            try await UserFile(form, pages: pages) { true }.response().body.write(SlowReader.Writer(reader: reader))
        }
        for await _ in reader.offered { break }
        // The newest users come first. Those of the page under way are read; all others are not.
        for id in ids {
            try await server.modules.accounts.editUser(
                UserEdit(displayName: .set("late name")), of: id, in: application,
                by: AccountAuthor(.owner(id), of: id, session: nil, from: .local))
        }
        reader.allow.finish()
        try await exported.value
        let (early, late) = (
            reader.text.split(separator: "early ").count - 1, reader.text.split(separator: "late name").count - 1
        )
        #expect(early == ExportUsers.Pages.size && late == ExportUsers.Pages.size + 20, "\(early), \(late)")
        let longest = UserFile.chunkBytes + 2 * Self.long.utf8.count
        #expect(reader.sizes.count > 3 && reader.sizes.allSatisfy { $0 <= longest }, "\(reader.sizes)")
    }

    /// An audit went on reading users by a key that had been removed.
    @Test("breaks off at its next page when its key is removed, or when it takes too long")
    func brokenOff() async throws {
        try await RunningServer.run(["rate-limits": "off"]) { server in
            let (application, rules) = (server.application, server.composition.modules)
            for number in 0..<(ExportUsers.Pages.size + 20) {
                _ = try await rules.logIns.signUp(
                    .init(
                        application: application, identifiers: .init(username: .set("user\(number)"), rules: .native),
                        password: Secret("four quiet words"),
                        newUser: .init(fields: ["note": .string(String(repeating: "n", count: 20_000))]),
                        client: LogInClient(.native, from: .local, origin: .local)))
            }
            let admin = try await rules.administration.admins.create(
                name: "files", role: .owner, applications: nil, by: .local)
            let key = try await rules.administration.keys.create(
                .init(
                    name: "files", scopes: [.readUsers, .readPersonalData], applications: nil, networks: [],
                    life: .days(1)),
                of: AdminAccess(admin, authenticatedAt: nil), by: .local)
            let client = try await StreamServer(port: server.listening.port) {}.client()
            try await client.ask(
                "GET /v1/admin/applications/\(application.id)/export?form=json",
                headers: "Authorization: Bearer \(key.secret.revealed)\r\n")
            var bytes = Array(try #require(await client.read()).readableBytesView)
            try await rules.administration.keys.remove(key.key.id, by: .local)
            while let more = await client.read() { bytes += more.readableBytesView }
            // No end of the chunked body, so that nobody takes it for the whole.
            #expect(String(decoding: bytes.prefix(15), as: UTF8.self) == "HTTP/1.1 200 OK")
            #expect(!bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8))
            #expect(bytes.count < (ExportUsers.Pages.size + 10) * 20_000)

            let pages = try await rules.administration.users.export(
                of: application.id, BrowseUsers.Filter(), by: .local)
            await #expect(throws: UserFile.Ending.tookTooLong) {
                try await UserFile(.csv, pages: pages, longestTime: .zero) { true }.response().body
                    .write(SlowReader.Writer(reader: SlowReader(isHeld: false)))
            }
        }
    }

    private static let long = String(repeating: "n", count: 500)
}

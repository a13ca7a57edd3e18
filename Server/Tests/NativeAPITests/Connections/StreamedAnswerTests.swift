import Domain
import Foundation
import HTTPSupport
import Hummingbird
import NIOCore
import OkaeriServer
import OkaeriWire
import Testing

/// Bodies of unknown length, through real sockets.
@Suite("Answers that are streamed", .timeLimit(.minutes(5)))
struct StreamedAnswerTests {
    private static let end = "\r\n0\r\n\r\n"

    @Test("are made no faster than they are read, hold up nobody, and arrive byte by byte as they are")
    func slowReader() async throws {
        let pieces = NumberedPieces(256)
        try await StreamServer.run(pieces) { server in
            let client = try await server.client()
            try await client.ask("GET /pieces")
            // The body stops by itself: while others are served, it does not grow.
            var before = -1
            while pieces.begun != before || before < 1 {
                before = pieces.begun
                let other = try await server.client()
                for _ in 0..<50 {
                    try await other.ask("GET /short")
                    #expect(String(decoding: await other.read(until: "short"), as: UTF8.self).contains("200 OK"))
                }
                try await other.channel.close()
            }
            #expect(pieces.begun <= StreamServer.mostPiecesOnTheWay, "\(pieces.begun)")
            var answer: [UInt8] = []
            while !answer.suffix(Self.end.utf8.count).elementsEqual(Self.end.utf8) {
                answer += try #require(await client.read()).readableBytesView
                let onTheWay = pieces.begun - answer.count / UserFile.chunkBytes
                #expect(onTheWay <= StreamServer.mostPiecesOnTheWay, "\(onTheWay)")
            }
            let (head, body, _) = try Self.split(answer)
            #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.contains("transfer-encoding: chunked"), "\(head)")
            #expect(body == pieces.whole)
            // The connection serves what comes next, another such answer too.
            try await client.ask("GET /short")
            #expect(String(decoding: await client.read(until: "short"), as: UTF8.self).contains("200 OK"))
            try await client.ask("GET /pieces")
            #expect(try Self.split(await client.read(until: Self.end)).body == pieces.whole)
            try await client.channel.close()
        }
    }

    @Test("end with the connection when their reader goes away")
    func readerLeaves() async throws {
        let pieces = NumberedPieces(100_000)
        try await StreamServer.run(pieces) { server in
            let client = try await server.client()
            try await client.ask("GET /pieces")
            _ = try #require(await client.read())
            try await client.channel.close()
            #expect(await pieces.outcomes.first { _ in true } == .brokenOff)
            #expect(pieces.begun < pieces.count)
        }
    }

    @Test(
        "close the connection when they break off, and never look whole",
        arguments: [
            NumberedPieces.Ending.fault, .missing,
        ])
    func brokenOff(_ ending: NumberedPieces.Ending) async throws {
        let pieces = NumberedPieces(3, ending: ending)
        try await StreamServer.run(pieces) { server in
            let client = try await server.client()
            try await client.ask("GET /pieces", "GET /short")
            let answer = await client.read(until: "never")
            #expect(answer.count > 3 * UserFile.chunkBytes && answer.suffix(2).elementsEqual("\r\n".utf8))
            #expect(!answer.suffix(7).elementsEqual(Self.end.utf8))
        }
    }

    @Test("come before the answers to what was asked behind them")
    func pipelined() async throws {
        let pieces = NumberedPieces(40)
        try await StreamServer.run(pieces) { server in
            let client = try await server.client()
            try await client.ask("GET /pieces", "GET /short", "GET /nowhere")
            try await client.ask("GET /short", headers: "Connection: close\r\n")
            let (_, body, rest) = try Self.split(await client.read(until: "never"))
            #expect(body == pieces.whole)
            let codes = String(decoding: rest, as: UTF8.self).components(separatedBy: "HTTP/1.1 ").dropFirst()
                .map { $0.prefix(3) }
            #expect(codes == ["200", "500", "200"])
        }
    }

    @Test("are not made for HEAD, which leaves the connection as it was")
    func head() async throws {
        let pieces = NumberedPieces(3)
        try await StreamServer.run(pieces) { server in
            let client = try await server.client()
            try await client.ask("HEAD /pieces", "GET /short")
            let answers = String(decoding: await client.read(until: "short"), as: UTF8.self)
            #expect(answers.components(separatedBy: "\r\n\r\nHTTP/1.1 200 OK\r\n").count == 2, "\(answers)")
            #expect(answers.contains("application/octet-stream") && pieces.begun == 0)
            // No length but the body's own, and nothing behind the head.
            let head = try #require(answers.components(separatedBy: "\r\n\r\n").first).lowercased()
            #expect(!head.contains("content-length") && head.contains("\r\ntransfer-encoding: chunked"), "\(head)")
            #expect(answers.lowercased().hasPrefix(head + "\r\n\r\nhttp/1.1 200 ok\r\n"), "\(answers)")
            try await client.ask("HEAD /short", "GET /short")
            let short = String(decoding: await client.read(until: "short"), as: UTF8.self).lowercased()
            #expect(short.components(separatedBy: "\r\ncontent-length: 5\r\n").count == 3, "\(short)")
            try await client.channel.close()
        }
    }

    @Test("have a head alone for HEAD where HTTP/1.0 was spoken, and no chunks in it")
    func outdatedHead() async throws {
        try await StreamServer.run(NumberedPieces(3)) { server in
            let client = try await server.client()
            try await client.channel.writeAndFlush(ByteBuffer(string: "HEAD /pieces HTTP/1.0\r\n\r\n")).get()
            let answer = String(decoding: await client.read(until: "never"), as: UTF8.self).lowercased()
            #expect(answer.hasSuffix("\r\n\r\n") && answer.components(separatedBy: "\r\n\r\n").count == 2, "\(answer)")
            #expect(!answer.contains("transfer-encoding") && !answer.contains("content-length"), "\(answer)")
        }
    }

    @Test("end with their connection, and have no chunks, where HTTP/1.0 was spoken", arguments: ["", "Host: x\r\n"])
    func outdated(header: String) async throws {
        let pieces = NumberedPieces(40)
        try await StreamServer.run(pieces) { server in
            let client = try await server.client()
            try await client.channel.writeAndFlush(ByteBuffer(string: "GET /pieces HTTP/1.0\r\n\(header)\r\n")).get()
            let answer = await client.read(until: "never")
            let start = try #require(answer.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
            let head = String(decoding: answer[..<start], as: UTF8.self).lowercased()
            #expect(head.contains("\r\nconnection: close\r\n") && !head.contains("transfer-encoding"), "\(head)")
            #expect(answer[start...].elementsEqual(pieces.whole))
        }
    }

    @Test("arrive whole at a client that has stopped sending", arguments: ["GET /pieces", "GET /short"])
    func halfClosed(line: String) async throws {
        let pieces = NumberedPieces(100)
        try await StreamServer.run(pieces) { server in
            let client = try await server.client()
            try await client.ask(line)
            try await client.channel.close(mode: .output).get()
            let answer = await client.read(until: "never")
            if line.hasSuffix("pieces") {
                #expect(try Self.split(answer).body == pieces.whole)
            } else {
                #expect(answer.suffix(5).elementsEqual("short".utf8))
            }
        }
    }

    @Test("do not let their connection count as idle, and are finished before the server stops")
    func busy() async throws {
        let pieces = NumberedPieces(100)
        try await StreamServer.run(pieces, idleTimeout: 1) { server in
            var client = try await server.client()
            try await client.ask("GET /pieces")
            var beginning = await client.read()
            while beginning == nil {
                // On a busy machine a second may pass before the request is there.
                client = try await server.client()
                try? await client.ask("GET /pieces")
                beginning = await client.read()
            }
            let first = try #require(beginning)
            // A connection that opens now and asks for nothing is cut as idle; this one has waited for longer by then.
            #expect(try await server.client().read() == nil)
            await server.stop()
            #expect(pieces.begun < pieces.count)
            let answer = Array(first.readableBytesView) + (await client.read(until: "never"))
            #expect(try Self.split(answer).body == pieces.whole)
        }
    }

    @Test("are the exports of the program, on a connection that is kept")
    func exports() async throws {
        try await RunningServer.run { server in
            let rules = server.composition.modules
            let made = try await rules.applications.createApplication(name: "Export", by: .local)
            for number in 0..<6 {
                let fields = ["note": JSONValue.string(String(repeating: "\(number)", count: 30_000))]
                _ = try await rules.logIns.signUp(
                    .init(
                        application: made.application,
                        identifiers: .init(username: .set("user\(number)"), rules: .native),
                        password: Secret("four quiet words"), newUser: .init(fields: fields),
                        client: LogInClient(.native, from: .local, origin: .local)))
            }
            let pages = try await rules.administration.users.export(
                of: made.application.id, BrowseUsers.Filter(), by: .local)
            let expected = BodyCollector()
            try await UserFile(.json, pages: pages) { true }.response().body.write(expected)
            let line = "GET /v1/admin/applications/\(made.application.id.rawValue)/export?form=json HTTP/1.1\r\n"
            let head = "Host: 127.0.0.1\r\nAuthorization: Bearer \(made.adminKey.revealed)\r\n"
            // The second one goes Hummingbird's way.
            let answers = try await server.exchange([line + head + "\r\n", line + head + "Connection: close\r\n\r\n"])
            let (_, kept, rest) = try Self.split(Array(answers.utf8))
            let (_, last, end) = try Self.split(Array(rest))
            let bytes = Array(expected.bytes.readableBytesView)
            #expect(bytes.count > 180_000 && kept == bytes && last == bytes && end.isEmpty)
        }
    }

    /// The head of a chunked answer, its body, and what comes behind it.
    private static func split(_ answer: [UInt8]) throws -> (head: String, body: [UInt8], rest: ArraySlice<UInt8>) {
        let empty = Array("\r\n\r\n".utf8)
        let start = try #require(answer.firstRange(of: empty)).upperBound
        var (rest, body) = (answer[start...], [UInt8]())
        while true {
            let line = try #require(rest.firstRange(of: Array("\r\n".utf8)))
            let length = try #require(Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16))
            rest = rest[line.upperBound...]
            guard length > 0 else { break }
            try #require(rest.count >= length + 2)
            body += rest.prefix(length)
            rest = rest.dropFirst(length + 2)
        }
        try #require(rest.prefix(2).elementsEqual("\r\n".utf8))
        return (String(decoding: answer[..<start], as: UTF8.self), body, rest.dropFirst(2))
    }
}

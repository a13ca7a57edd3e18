import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import QRCodes
import Synchronization
import struct OkaeriWire.GuideText

/// A server that lets a device in, and then answers as the input says.
private final class HostileServer: Transport {
    private let honest: InMemoryServer
    private let answers: Mutex<[TransportResponse]?> = Mutex(nil)

    init(_ honest: InMemoryServer) {
        self.honest = honest
    }

    /// From now on these, one after the other and again from the first.
    func answer(_ new: [TransportResponse]) {
        answers.withLock { $0 = new }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let next: TransportResponse?? = answers.withLock { answers in
            guard let list = answers else { return .none }
            guard let first = list.first else { return .some(nil) }
            answers = Array(list.dropFirst()) + [first]
            return .some(first)
        }
        guard let next else { return try await honest.send(request) }
        guard let next else { throw .timedOut }
        return next
    }
}

/// Time that passes when somebody waits for it.
private final class PassingClock: Okaeri.WallClock {
    private let seconds = Mutex(0.0)

    var now: Date { Date(timeIntervalSince1970: 1_795_305_600 + seconds.withLock { $0 }) }

    func sleep(for duration: Duration) async throws(CancellationError) {
        seconds.withLock { $0 += min(max(Double(duration.components.seconds), 1), 1e9) }
        await Task.yield()
    }
}

extension FuzzTarget {
    /// What the SDK receives from a server that is not ours, or not itself.
    ///
    /// An input is one line with the name of a call, then answers with a line `%%` between them: status, header fields,
    /// an empty line, body.
    static let client = [
        FuzzTarget("sdk-answer", maximumBytes: 16 * 1024) { input in
            let nameEnd = input.firstIndex(of: 0x0a) ?? input.endIndex
            let name = String(input: Array(input[..<nameEnd]))
            let names = calls.keys.sorted()
            let index = name.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xffff } % names.count
            guard let call = calls[name] ?? calls[names[index]] else { return }
            let answers = Self.answers(Array(input[nameEnd...].dropFirst()))
            waiting {
                let server = InMemoryServer(application: "demo")
                let hostile = HostileServer(server)
                let client = OkaeriClient(
                    server: server.url, application: "demo", vault: MemoryVault(), transport: hostile,
                    configuration: OkaeriConfiguration(worksInBackground: false), clock: PassingClock())
                if name != "logInAutomatically" { _ = try? await client.logInAutomatically() }
                hostile.answer(answers)
                // An error of the library is a good end; anything else would end the program.
                try? await call(client)
            }
        }
    ]

    private static func answers(_ input: [UInt8]) -> [TransportResponse] {
        var answers: [TransportResponse] = []
        var rest = input[...]
        while !rest.isEmpty, answers.count < 8 {
            let end = rest.firstRange(of: Array("\n%%\n".utf8))
            answers.append(answer(rest[..<(end?.lowerBound ?? rest.endIndex)]))
            rest = end.map { rest[$0.upperBound...] } ?? []
        }
        return answers
    }

    private static func answer(_ input: ArraySlice<UInt8>) -> TransportResponse {
        let headEnd = input.firstRange(of: Array("\n\n".utf8))
        let head = String(input: Array(input[..<(headEnd?.lowerBound ?? input.endIndex)]))
        var lines = head.split(separator: "\n").makeIterator()
        let status = lines.next().flatMap { Int($0) } ?? 200
        var headers: HeaderFields = [:]
        while let line = lines.next() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { headers[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        return TransportResponse(
            status: status, headers: headers, body: headEnd.map { Data(input[$0.upperBound...]) } ?? Data())
    }

    private static let calls: [String: @Sendable (OkaeriClient) async throws -> Void] = [
        "accessToken": { _ = try await $0.accessToken() },
        "adopt": { _ = try await $0.adopt(parseSession: "r:0123") },
        "applicationProfile": { _ = try await $0.applicationProfile() },
        "changePassword": { _ = try await $0.changePassword(from: "four quiet words", to: "five quiet words here") },
        "deviceKeys": { _ = try await $0.deviceKeys() },
        "deleteUser": { _ = try await $0.deleteUser() },
        "endOtherSessions": { _ = try await $0.endOtherSessions() },
        "exportUser": { _ = try await $0.exportUser() },
        "issueTransferCode": { _ = try await $0.issueTransferCode() },
        "logInAutomatically": { _ = try await $0.logInAutomatically() },
        "logInWithPassword": { _ = try await $0.logIn(identifier: "hana", password: "four quiet words") },
        "passkeys": { _ = try await $0.passkeys() },
        "pendingNotices": { _ = try await $0.pendingNotices() },
        "reloadUser": { _ = try await $0.reloadUser() },
        "requestLogInCode": { _ = try await $0.requestLogInCode(email: "hana@example.com") },
        "restoreUser": { _ = try await $0.restoreUser() },
        "removeOtherDeviceKeys": { _ = try await $0.removeOtherDeviceKeys() },
        "replaceRecoveryCodes": { _ = try await $0.replaceRecoveryCodes() },
        "requestTOTP": { _ = try await $0.requestTOTP() },
        "secondFactors": { _ = try await $0.secondFactors() },
        "sessions": { _ = try await $0.sessions() },
        "signUp": { _ = try await $0.signUp(username: "hana", password: "four quiet words") },
        "undoMerge": { try await $0.undoMerge("merge") },
        "update": { _ = try await $0.update(UserChanges()) },
        "upgrade": { _ = try await $0.upgrade(username: "hana", password: "four quiet words") },
        "verifyEmail": { _ = try await $0.verifyEmail(code: "123456") },
    ]
}

extension FuzzTarget {
    /// What the kit's screens draw of a server's answer, and what a camera reads.
    static let kit = [
        FuzzTarget("qr-picture", maximumBytes: 16 * 1024) { input in
            guard let picture = OkaeriUI.QRPicture(svg: String(input: input)) else { return }
            for bar in picture.bars {
                expect(
                    bar.column >= 0 && bar.row >= 0 && bar.length > 0 && bar.row < picture.side
                        && bar.column + bar.length <= picture.side, "a bar is within its picture")
            }
        },
        FuzzTarget("guide-text", maximumBytes: 5000) { input in
            guard let guide = GuideText(String(input: input)) else { return }
            for case .link(_, address: let address) in guide.parts {
                expect(["https://", "mailto:"].contains { address.hasPrefix($0) }, "a link leads to a page or a mail")
            }
        },
        FuzzTarget("qr-text") { input in
            let text = String(input: input)
            var screen = TransferEntryModel()
            _ = screen.begin()
            _ = screen.handle(.scanned(text))
            // A picture takes a hundred times as long as the reading of its text, and nothing in it but bits is the text's: one
            // short text of 64 is drawn. Long ones are drawn by tests of their own.
            guard input.count <= 64, input.isOne(of: 64), let drawn = QRCodes.QRPicture(text) else { return }
            expect(OkaeriUI.QRPicture(svg: drawn.svg) != nil, "what the server draws, the kit can draw")
        },
    ]
}

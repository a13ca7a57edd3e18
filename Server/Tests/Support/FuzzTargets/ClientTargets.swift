import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import QRCodes
import Synchronization
import struct OkaeriWire.GuideText

/// A server that answers as the input says: with these, one after the other and again from the first.
final class HostileServer: Transport {
    private let answers: [TransportResponse]
    private let asked = Mutex(0)

    init(_ answers: [TransportResponse]) {
        self.answers = answers
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard !answers.isEmpty else { throw .timedOut }
        let number = asked.withLock { asked in
            asked += 1
            return asked - 1
        }
        return answers[number % answers.count]
    }
}

extension HostileServer {
    /// Up to eight, with a line `%%` between them.
    static func answers(_ input: [UInt8]) -> [TransportResponse] {
        var answers: [TransportResponse] = []
        var rest = input[...]
        while !rest.isEmpty, answers.count < 8 {
            let parts = cut(rest, at: Self.betweenAnswers)
            answers.append(answer(parts.before))
            rest = parts.after ?? []
        }
        return answers
    }

    /// Status, header fields, an empty line, body.
    static func answer(_ input: ArraySlice<UInt8>) -> TransportResponse {
        let parts = cut(input, at: Self.behindHead)
        let head = String(input: Array(parts.before))
        var lines = head.split(separator: "\n").makeIterator()
        let status = lines.next().flatMap { Int($0) } ?? 200
        var headers: HeaderFields = [:]
        while let line = lines.next() {
            let field = line.split(separator: ":", maxSplits: 1)
            if field.count == 2 { headers[String(field[0])] = field[1].trimmingCharacters(in: .whitespaces) }
        }
        return TransportResponse(status: status, headers: headers, body: parts.after.map { Data($0) } ?? Data())
    }

    private static let betweenAnswers = Array("\n%%\n".utf8)
    private static let behindHead = Array("\n\n".utf8)

    /// What stands before some bytes, the first of which is a line's end, and what behind them.
    private static func cut(
        _ input: ArraySlice<UInt8>, at mark: [UInt8]
    ) -> (before: ArraySlice<UInt8>, after: ArraySlice<UInt8>?) {
        var rest = input
        while let position = rest.firstIndex(of: UInt8(ascii: "\n")) {
            rest = input[position...]
            if rest.starts(with: mark) { return (input[..<position], rest.dropFirst(mark.count)) }
            rest = rest.dropFirst()
        }
        return (input, nil)
    }
}

/// What a device holds after an automatic log-in, made once: the keys and signatures of another one for each input would take
/// most of the time.
private struct LoggedInDevice: Sendable {
    static let shared: LoggedInDevice? = {
        let made = Mutex<LoggedInDevice?>(nil)
        waiting {
            let (clock, vault) = (PassingClock(), MemoryVault())
            let server = InMemoryServer(application: application, clock: clock)
            let client = OkaeriClient(
                server: server.url, application: application, vault: vault, transport: server,
                configuration: OkaeriConfiguration(worksInBackground: false), clock: clock)
            guard (try? await client.logInAutomatically()) != nil,
                let record = try? await vault.loadRecord(for: application),
                let key = try? await vault.deviceKey(for: application)
            else { return }
            let copied = UnsignedKey(publicKey: key.publicKey)
            made.withLock { $0 = LoggedInDevice(server: server.url, key: copied, record: record) }
        }
        return made.withLock { $0 }
    }()

    static let application = "demo"

    let server: URL
    let key: any DeviceKey
    let record: Data
}

/// A key whose signatures are none: the hostile server does not look at them, and real ones take as long as the rest.
private struct UnsignedKey: DeviceKey {
    let publicKey: DevicePublicKey

    func signature(for message: Data) throws(VaultError) -> Data { Data(repeating: 1, count: 64) }
}

/// A vault that begins with the key of a device, and with its record or none.
private final class CopiedVault: CredentialVault {
    private let own = MemoryVault()
    private let key: Mutex<(any DeviceKey)?>
    private let record: Data?

    init(_ device: LoggedInDevice, isLoggedIn: Bool) {
        key = Mutex(device.key)
        record = isLoggedIn ? device.record : nil
    }

    func deviceKey(for application: String) async throws(VaultError) -> any DeviceKey {
        let copied = key.withLock { $0 }
        guard application == LoggedInDevice.application, let copied else {
            return try await own.deviceKey(for: application)
        }
        return copied
    }

    func loadRecord(for application: String) async throws(VaultError) -> Data? {
        if let saved = try await own.loadRecord(for: application) { return saved }
        return application == LoggedInDevice.application && key.withLock({ $0 != nil }) ? record : nil
    }

    func saveRecord(_ record: Data, for application: String) async throws(VaultError) {
        try await own.saveRecord(record, for: application)
    }

    func erase(_ application: String) async throws(VaultError) {
        if application == LoggedInDevice.application { key.withLock { $0 = nil } }
        try await own.erase(application)
    }

    func lock(_ purpose: VaultLockPurpose, for application: String) async throws(VaultError) -> VaultLock {
        try await own.lock(purpose, for: application)
    }

    func hints(for application: String) -> AsyncStream<Void> { own.hints(for: application) }
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
        answer,
        FuzzTarget("sdk-calls") { input in
            guard let device = LoggedInDevice.shared else { return expect(false, "a device logs in") }
            let (line, rest) = input.firstLine
            let name = String(input: line)
            guard let call = calls[name] ?? calls[names[line.digest % names.count]] else { return }
            let answers = HostileServer.answers(rest)
            waiting {
                let client = OkaeriClient(
                    server: device.server, application: LoggedInDevice.application,
                    vault: CopiedVault(device, isLoggedIn: name != "logInAutomatically"),
                    transport: HostileServer(answers),
                    configuration: OkaeriConfiguration(worksInBackground: false), clock: PassingClock())
                // An error of the library is a good end; anything else would end the program.
                try? await call(client)
            }
        },
    ]

    private static let names = calls.keys.sorted()

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
        FuzzTarget("qr-picture") { input in
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
            // short text of 256 is drawn. Long ones are drawn by tests of their own.
            guard input.count <= 64, input.isOne(of: 256), let drawn = QRCodes.QRPicture(text) else { return }
            expect(OkaeriUI.QRPicture(svg: drawn.svg) != nil, "what the server draws, the kit can draw")
        },
    ]
}

import ArgumentParser
import Foundation
import Measuring
import NIOCore

/// What the requests of a run ask for.
enum Scenario: String, CaseIterable, ExpressibleByArgument {
    /// One path, always the same.
    case bare
    /// The same path with what a log-in sends.
    case bareLogIn = "bare-log-in"
    /// `GET /v1/user` with the tokens of many sessions in turn.
    case sessionCheck = "session-check"
    /// `POST /v1/log-in/automatic` by devices that the server knows.
    case logIn = "log-in"
    /// `POST /v1/log-in/automatic` by a new device each time.
    case firstLaunch = "first-launch"
    /// `GET /a/{application}/log-in`, as a browser opens it for the first time.
    case logInPage = "log-in-page"
    /// The bare route with what a browser sends.
    case bareLogInPage = "bare-log-in-page"
    /// `POST /v1/log-in/password` by the users who have one, in turn.
    case passwordLogIn = "password-log-in"
    /// `POST /v1/log-in/passkey` with the passkeys of many users in turn; the challenges were asked for before.
    case passkeyLogIn = "passkey-log-in"
    /// The same on a device, whose key signs a proof beside it.
    case provenPasskeyLogIn = "proven-passkey-log-in"
    /// NCMB's protocol: `GET` of the own member, signed, with the tokens of many sessions in turn.
    case ncmbSessionCheck = "ncmb-session-check"
    /// Parse's protocol: `GET /parse/users/me` with the tokens of many sessions in turn.
    case parseSessionCheck = "parse-session-check"
    /// Kii's protocol: `GET …/users/me` with the tokens of many sessions in turn.
    case kiiSessionCheck = "kii-session-check"
    /// The envelope: `GET /user/me` with the tokens of many sessions in turn.
    case envelopeSessionCheck = "envelope-session-check"
    /// PocketBase: `GET` of the own record with the tokens of many users in turn.
    case pocketBaseSessionCheck = "pocketbase-session-check"
    /// PocketBase: the hook, with devices that it knows.
    case pocketBaseLogIn = "pocketbase-log-in"
    /// PocketBase: the hook, with a new device each time.
    case pocketBaseFirstLaunch = "pocketbase-first-launch"
}

/// Makes the requests of a scenario.
struct RequestMaker {
    let target: Target
    let path: String
    let application: String
    let devices: String
    /// Which lines of the side file take part.
    let lines: Range<Int>
    /// How many requests to make where each can be used once.
    let count: Int

    /// The body that an app sends when it logs in.
    private static let body = """
        {"device":{"appVersion":"2.4.0 (311)","model":"iPhone17,1","name":"Hana's iPhone","system":"iOS 19.1"},\
        "user":{"locale":"ja"}}
        """

    /// - Parameter scenario: What to ask for.
    /// - Returns: The requests.
    /// - Throws: When the side file cannot be read or a proof not be signed.
    func requests(for scenario: Scenario) throws -> RequestSupply {
        switch scenario {
        case .bare:
            RequestSupply([target.request("GET", path, headers: sessionHeaders(token: sampleToken))], repeats: true)
        case .bareLogIn:
            RequestSupply([logIn(path, proof: try proof(by: DeviceKey(), for: path, "bare"))], repeats: true)
        case .sessionCheck:
            RequestSupply(
                try KnownDevice.readTokens(from: devices, lines: lines)
                    .map { target.request("GET", "/v1/user", headers: sessionHeaders(token: $0)) },
                repeats: true)
        case .logIn:
            try logIns(with: KnownDevice.read(from: devices, lines: lines).map(\.key))
        case .firstLaunch:
            try logIns(with: (0..<count).lazy.map { _ in DeviceKey() })
        case .logInPage:
            RequestSupply(
                [target.request("GET", "/a/\(application)/log-in", headers: Self.browserHeaders)], repeats: true)
        case .bareLogInPage: RequestSupply([target.request("GET", path, headers: Self.browserHeaders)], repeats: true)
        case .passwordLogIn:
            RequestSupply(
                (0..<KnownPassword.userCount).map { number in
                    let name = KnownPassword.userName(number)
                    return target.request(
                        "POST", "/v1/log-in/password", headers: ["Okaeri-Application: \(application)"],
                        body: #"{"identifier":"\#(name)","password":"\#(KnownPassword.text)"}"#)
                }, repeats: true)
        case .passkeyLogIn: try passkeyLogIns { _, _ in [] }
        case .provenPasskeyLogIn: try provenPasskeyLogIns()
        case .ncmbSessionCheck: try foreign(ncmbRequest)
        case .parseSessionCheck: try foreign(parseRequest)
        case .kiiSessionCheck: try foreign(kiiRequest)
        case .envelopeSessionCheck: try foreign(envelopeRequest)
        case .pocketBaseSessionCheck:
            RequestSupply(
                try PocketBaseUser.read(from: devices, lines: lines).map { user in
                    target.request(
                        "GET", "/api/collections/players/records/\(user.record)",
                        headers: ["Authorization: \(user.token)"])
                }, repeats: true)
        case .pocketBaseLogIn:
            RequestSupply(
                try PocketBaseUser.read(from: devices, lines: lines).map { pocketBaseLogIn(device: $0.device) },
                repeats: true)
        case .pocketBaseFirstLaunch:
            RequestSupply((0..<count).map { _ in pocketBaseLogIn(device: UUID().uuidString) }, repeats: false)
        }
    }

    private static let browserHeaders = [
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "Accept-Language: ja,en-US;q=0.8,en;q=0.6", "Sec-Fetch-Dest: document", "Sec-Fetch-Mode: navigate",
        "Sec-Fetch-Site: none", "Upgrade-Insecure-Requests: 1",
    ]

    /// A token of the usual length, so that the bare route's requests are as long as the others.
    private var sampleToken: String {
        "oks_" + String(repeating: "A", count: 22) + "." + String(repeating: "A", count: 43)
    }

    private func sessionHeaders(token: String) -> [String] {
        ["Okaeri-Application: \(application)", "Authorization: Bearer \(token)"]
    }

    private func foreign(_ request: (ForeignSession) -> ByteBuffer) throws -> RequestSupply {
        RequestSupply(try ForeignSession.read(from: devices, lines: lines).map(request), repeats: true)
    }

    /// As NCMB's SDK for Swift sends it.
    private func ncmbRequest(_ session: ForeignSession) -> ByteBuffer {
        let (path, timestamp) = ("/2013-09-01/users/\(session.user)", "2026-01-02T03:04:05.678Z")
        return target.request(
            "GET", path,
            headers: [
                "Content-Type: application/json", "X-NCMB-Application-Key: \(ForeignKeys.ncmbApplicationKey)",
                "X-NCMB-Timestamp: \(timestamp)",
                "X-NCMB-Signature: \(ForeignKeys.signature("GET", host: "127.0.0.1", path: path, timestamp: timestamp))",
                "X-NCMB-Apps-Session-Token: \(session.ncmbToken)", "X-NCMB-SDK-Version: swift-1.4.2",
                "X-NCMB-OS-Version: ios-17.0",
            ])
    }

    /// As Parse's SDK for Swift sends it, with a REST key.
    private func parseRequest(_ session: ForeignSession) -> ByteBuffer {
        target.request(
            "GET", "/parse/users/me",
            headers: [
                "Content-Type: application/json", "X-Parse-Application-Id: \(ForeignKeys.parseApplicationId)",
                "X-Parse-REST-API-Key: \(ForeignKeys.parseRestKey)", "X-Parse-Client-Version: swift6.1.0",
                "X-Parse-Installation-Id: 0f9e8d7c-0000-4000-8000-000000000001",
                "X-Parse-Session-Token: \(session.parseToken)",
            ])
    }

    /// As the envelope's apps send their token.
    private func envelopeRequest(_ session: ForeignSession) -> ByteBuffer {
        target.request("GET", "/user/me", headers: ["jwt: \(session.envelopeToken)"])
    }

    /// As Kii's SDK for Android sends it.
    private func kiiRequest(_ session: ForeignSession) -> ByteBuffer {
        target.request(
            "GET", "/api/apps/\(ForeignKeys.kiiAppId)/users/me",
            headers: [
                "X-Kii-AppID: \(ForeignKeys.kiiAppId)", "X-Kii-AppKey: 00112233445566778899aabbccddeeff",
                "X-Kii-SDK: sn=as;sv=2.1.29;pv=19", "Authorization: Bearer \(session.kiiToken)",
            ])
    }

    private func logIns(with keys: some Collection<DeviceKey>) throws -> RequestSupply {
        let path = "/v1/log-in/automatic"
        let run = UUID().uuidString.prefix(18)
        var requests: [ByteBuffer] = []
        requests.reserveCapacity(count)
        while requests.count < count, !keys.isEmpty {
            for key in keys.prefix(count - requests.count) {
                requests.append(logIn(path, proof: try proof(by: key, for: path, "\(run)-\(requests.count)")))
            }
        }
        return RequestSupply(requests, repeats: false)
    }

    private var passkeyPath: String { "/v1/log-in/passkey" }

    // With header lines for the request of a number with a passkey.
    private func passkeyLogIns(_ headers: (KnownPasskey, Int) throws -> [String]) throws -> RequestSupply {
        let known = try KnownPasskey.read(from: devices, lines: lines)
        guard !known.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
        let named = ["Okaeri-Application: \(application)"]
        let asked = target.request("POST", "/v1/log-in/passkey/request", headers: named)
        let challenges = try Challenges.ask(asked, port: target.port, count: count)
        return RequestSupply(
            try challenges.enumerated().map { number, challenge in
                let passkey = known[number % known.count]
                return target.request(
                    "POST", passkeyPath, headers: named + (try headers(passkey, number)),
                    body: try passkey.logIn(challenge))
            }, repeats: false)
    }

    private func provenPasskeyLogIns() throws -> RequestSupply {
        let run = UUID().uuidString.prefix(18)
        return try passkeyLogIns { passkey, number in
            ["DPoP: \(try proof(by: passkey.device, for: passkeyPath, "\(run)-\(number)"))"]
        }
    }

    private func proof(by key: DeviceKey, for path: String, _ identifier: String) throws -> String {
        try key.proof(
            method: "POST", address: target.address(of: path), at: Int(Date.now.timeIntervalSince1970),
            identifier: identifier)
    }

    private func logIn(_ path: String, proof: String) -> ByteBuffer {
        target.request(
            "POST", path, headers: ["Okaeri-Application: \(application)", "DPoP: \(proof)"], body: Self.body)
    }

    private func pocketBaseLogIn(device: String) -> ByteBuffer {
        target.request("POST", "/api/device/log-in", body: #"{"device":"\#(device)"}"#)
    }
}

/// A user of the PocketBase that is measured beside the server.
private struct PocketBaseUser {
    let device: String
    let record: String
    let token: String

    static func read(from path: String, lines: Range<Int>) throws -> [PocketBaseUser] {
        try String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self)
            .split(separator: "\n").prefix(lines.upperBound).dropFirst(lines.lowerBound)
            .map { line in
                let parts = line.split(separator: " ").map(String.init)
                guard parts.count == 3 else { throw CocoaError(.fileReadCorruptFile) }
                return PocketBaseUser(device: parts[0], record: parts[1], token: parts[2])
            }
    }
}

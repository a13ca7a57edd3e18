import Foundation
import Okaeri

/// A store that speaks S3 (moto, which `scripts/setup tests` installs), in a process of its own, with one bucket and one key to
/// it. It refuses requests whose signature is not right.
final class S3Server: Sendable {
    /// Where moto's programs are.
    static let programs = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../../.build/moto/bin").standardizedFileURL.path

    let process: ChildProcess
    let url: String
    private let accessKey: String
    private let secretKey: String

    /// Starts it on a free port.
    init() async throws {
        let program = "\(Self.programs)/moto_server"
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw TestFault("there is no \(program). Install it first: scripts/setup tests")
        }
        let process = try ChildProcess(program, ["-H", "127.0.0.1", "-p", "0"])
        self.process = process
        let url = "http://127.0.0.1:\(try await port(of: process, announcedBy: "http://127.0.0.1:"))"
        self.url = url
        _ = try await eventually("the bucket") { () -> String? in
            // It may not accept connections yet.
            try? await Self.send("PUT", "\(url)/backups")
        }
        try await Self.manage(url, ["Action": "CreateUser"])
        try await Self.manage(
            url,
            [
                "Action": "PutUserPolicy", "PolicyName": "all",
                "PolicyDocument":
                    #"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}"#,
            ])
        let made = try await Self.manage(url, ["Action": "CreateAccessKey"])
        guard let accessKey = made.firstMatch(of: /<AccessKeyId>([^<]+)/)?.1,
            let secretKey = made.firstMatch(of: /<SecretAccessKey>([^<]+)/)?.1
        else { throw TestFault("no key: \(made)") }
        (self.accessKey, self.secretKey) = (String(accessKey), String(secretKey))
        // From now on it looks at signatures.
        try await Self.send("POST", "\(url)/moto-api/reset-auth", type: "text/plain", "0")
    }

    deinit {
        process.signal(SIGKILL)
    }

    /// What programs for S3 read.
    var environment: [String: String] { environment() }

    /// The same with another key, or another way to the store.
    func environment(secretKey: String? = nil, url: String? = nil) -> [String: String] {
        [
            "AWS_ENDPOINT_URL": url ?? self.url, "AWS_ACCESS_KEY_ID": accessKey,
            "AWS_SECRET_ACCESS_KEY": secretKey ?? self.secretKey, "AWS_REGION": "us-east-1",
        ]
    }

    /// Asks the store's own management of users, which knows by the service in this header that it is meant.
    @discardableResult
    private static func manage(_ url: String, _ words: [String: String]) async throws -> String {
        let all = words.merging(["UserName": "okaeri", "Version": "2010-05-08"]) { $1 }
        let form = all.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        return try await send(
            "POST", "\(url)/", type: "application/x-www-form-urlencoded", form.joined(separator: "&"),
            authorization: "AWS4-HMAC-SHA256 Credential=none/20261124/us-east-1/iam/aws4_request, "
                + "SignedHeaders=host, Signature=none")
    }

    @discardableResult
    static func send(
        _ method: String, _ address: String, type: String? = nil, _ body: String = "", authorization: String? = nil
    ) async throws -> String {
        guard let url = URL(string: address) else { throw TestFault("no address: \(address)") }
        var headers: HeaderFields = [:]
        headers["Content-Type"] = type
        headers["Authorization"] = authorization
        let response = try await TestServer.transport.send(
            TransportRequest(
                method: method, url: url, headers: headers, body: Data(body.utf8), timeout: .seconds(60)))
        let text = String(decoding: response.body, as: UTF8.self)
        guard response.status == 200 else { throw TestFault("\(address): \(text)") }
        return text
    }
}

/// The number that a process prints behind some words.
func port(of process: ChildProcess, announcedBy words: String) async throws -> String {
    try await eventually("the store's address") { () -> String? in
        guard process.isRunning else { throw TestFault("the store ended at once: \(process.errors)") }
        let said = process.output + process.errors
        guard let begin = said.range(of: words)?.upperBound else { return nil }
        let digits = said[begin...].prefix { $0.isNumber }
        return digits.isEmpty ? nil : String(digits)
    }
}

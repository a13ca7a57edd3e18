import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A store that speaks S3 (moto, which `scripts/setup tests` installs), in a process of its own, with one bucket.
final class S3Server: Sendable {
    let process: ChildProcess
    let url: String

    /// Starts it on a free port.
    init() async throws {
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../../.build/moto/bin/moto_server").standardizedFileURL.path
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw TestFault("there is no \(program). Install it first: scripts/setup tests")
        }
        let process = try ChildProcess(program, ["-H", "127.0.0.1", "-p", "0"])
        self.process = process
        let port = try await eventually("the store's address") { () -> String? in
            guard process.isRunning else { throw TestFault("the store ended at once: \(process.errors)") }
            let said = process.output + process.errors
            guard let begin = said.range(of: "http://127.0.0.1:")?.upperBound else { return nil }
            let digits = said[begin...].prefix { $0.isNumber }
            return digits.isEmpty ? nil : String(digits)
        }
        url = "http://127.0.0.1:\(port)"
        guard let address = URL(string: "\(url)/backups") else { throw TestFault("no address: \(url)") }
        var request = URLRequest(url: address)
        request.httpMethod = "PUT"
        let made = request
        _ = try await eventually("the bucket") { () -> Bool? in
            // It may not accept connections yet.
            let answer = try? await URLSession.shared.data(for: made)
            return (answer?.1 as? HTTPURLResponse)?.statusCode == 200 ? true : nil
        }
    }

    deinit {
        process.signal(SIGKILL)
    }

    /// What programs for S3 read.
    var environment: [String: String] {
        [
            "AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": "us-east-1",
        ]
    }
}

import Foundation

/// A backend of an app with a certificate of its own making, in a process of its own, at a free port of the loopback address.
final class HTTPSServer: Sendable {
    /// For whom the certificate is.
    enum Name: String, Sendable {
        case right = "IP:127.0.0.1"
        case wrong = "DNS:other.example.test"
    }

    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    /// The certificate, by which alone it can be trusted.
    let certificate: String
    let url: String
    private let folder: String
    private let process: Process

    init(for name: Name) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("okaeri-https-\(UUID().uuidString)").path
        self.folder = folder
        certificate = "\(folder)/certificate.pem"
        let (process, port) = try await withCheckedThrowingContinuation { continuation in
            // What blocks is done on a thread of its own, so that other tests go on.
            Thread { continuation.resume(with: Result { try Self.start(name, in: folder) }) }.start()
        }
        self.process = process
        url = "https://127.0.0.1:\(port)/hooks"
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        // Nobody needs the folder any more.
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// How many requests came over a connection that its client took for safe.
    var requests: Int {
        let lines = FileManager.default.contents(atPath: "\(folder)/requests") ?? Data()
        return lines.count(where: { $0 == UInt8(ascii: "\n") })
    }

    private static func start(_ name: Name, in folder: String) throws -> (Process, Int) {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let (certificate, key) = ("\(folder)/certificate.pem", "\(folder)/key.pem")
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=backend", "-addext", "subjectAltName=\(name.rawValue)", "-keyout", key, "-out", certificate,
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        // `waitUntilExit` needs a run loop.
        while openssl.isRunning { usleep(1000) }
        guard openssl.terminationStatus == 0 else { throw Fault(description: "openssl made no certificate") }
        let server = Process()
        // The system's own Python; another one may stand before it in the path.
        server.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        server.arguments = [
            sources.appendingPathComponent("https-server.py").path, certificate, key, "\(folder)/requests",
        ]
        server.standardInput = FileHandle.nullDevice
        let output = Pipe()
        server.standardOutput = output
        try server.run()
        var line = Data()
        while !line.contains(UInt8(ascii: "\n")) {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw Fault(description: "the server did not start") }
            line += bytes
        }
        let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let port = Int(text) else { throw Fault(description: "the server printed no port") }
        return (server, port)
    }
}

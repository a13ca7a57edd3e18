import Foundation

/// A real mail server (aiosmtpd) in a process of its own, on a free port of the loopback address.
package final class MailServer: Sendable {
    /// How it encrypts.
    package enum Encryption: String, Sendable {
        case none
        case startTLS = "starttls"
        case implicit
    }

    /// Why there is none.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    package let port: Int
    /// The certificate to trust; `nil` without encryption.
    package let certificate: String?
    private let encryption: Encryption
    private let folder: String
    private let process: Process

    /// Starts it and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - encryption: How it encrypts, with a certificate of its own making for `127.0.0.1` and `localhost`.
    ///   - credentials: Who may send; anybody without it.
    ///   - port: Where; any free port without it.
    ///   - isClosed: Whether it greets everybody with 554.
    /// - Throws: `Fault` when Python, aiosmtpd or OpenSSL are missing.
    package init(
        _ encryption: Encryption = .none, credentials: (user: String, password: String)? = nil, port: Int = 0,
        isClosed: Bool = false
    ) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("okaeri-mail-\(UUID().uuidString)").path
        self.folder = folder
        self.encryption = encryption
        (certificate, process, self.port) = try await Self.aside {
            try Self.start(encryption, credentials, port, isClosed, in: folder)
        }
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        // Nobody needs the folder any more.
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The address in the form of the setting `smtp-url`.
    package var url: String { "\(encryption == .implicit ? "smtps" : "smtp")://127.0.0.1:\(port)" }

    /// Ends it, as if the machine had gone.
    package func stop() async throws {
        // SIGTERM would not do: a process that was started on a thread which blocks signals is born blocking them.
        kill(process.processIdentifier, SIGKILL)
        let process = process
        try await Self.aside {
            while process.isRunning { usleep(1000) }
        }
    }

    /// The mails that it accepted, oldest first.
    package var mails: [ReceivedMail] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".eml") && !$0.hasPrefix(".") }.sorted().compactMap { name in
            FileManager.default.contents(atPath: "\(folder)/\(name)").map(ReceivedMail.init(bytes:))
        }
    }

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("mail-server.py").path

    /// The system's own Python, which has Debian's packages; another one may stand before it in the path.
    private static let python = "/usr/bin/python3"

    /// Does what blocks on a thread of its own, so that other tests go on.
    private static func aside<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result(catching: work)) }.start()
        }
    }

    private static func start(
        _ encryption: Encryption, _ credentials: (user: String, password: String)?, _ port: Int, _ isClosed: Bool,
        in folder: String
    ) throws -> (certificate: String?, process: Process, port: Int) {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var arguments = [script, folder, "--port", String(port)]
        var certificate: String?
        if encryption != .none {
            let pair = try makeCertificate(in: folder)
            arguments += ["--tls", encryption.rawValue, "--certificate", pair.certificate, "--key", pair.key]
            certificate = pair.certificate
        }
        if let credentials { arguments += ["--user", credentials.user, "--password", credentials.password] }
        if isClosed { arguments.append("--closed") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        let errors = folder + "/errors"
        _ = FileManager.default.createFile(atPath: errors, contents: nil)
        let errorFile = FileHandle(forWritingAtPath: errors)
        process.standardError = errorFile
        try process.run()
        // The server has its own.
        try? errorFile?.close()
        var line = Data()
        while !line.contains(UInt8(ascii: "\n")) {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else {
                let words = String(decoding: FileManager.default.contents(atPath: errors) ?? Data(), as: UTF8.self)
                throw Fault(description: "the mail server did not start: \(words)")
            }
            line += bytes
        }
        let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let port = Int(text) else { throw Fault(description: "the mail server printed no port") }
        return (certificate, process, port)
    }

    private static func makeCertificate(in folder: String) throws -> (certificate: String, key: String) {
        let (certificate, key) = ("\(folder)/certificate.pem", "\(folder)/key.pem")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key, "-out",
            certificate,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        // `waitUntilExit` needs a run loop.
        while process.isRunning { usleep(1000) }
        guard process.terminationStatus == 0 else { throw Fault(description: "openssl made no certificate") }
        return (certificate, key)
    }
}

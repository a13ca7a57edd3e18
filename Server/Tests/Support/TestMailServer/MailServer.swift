import Dispatch
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
    private let end: DispatchSemaphore

    /// Starts it and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - encryption: How it encrypts, with a certificate of its own making for `127.0.0.1` and `localhost`.
    ///   - credentials: Who may send; anybody without it.
    ///   - port: Where; any free port without it.
    /// - Throws: `Fault` when Python, aiosmtpd or OpenSSL are missing.
    package init(
        _ encryption: Encryption = .none, credentials: (user: String, password: String)? = nil, port: Int = 0
    ) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("okaeri-mail-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var arguments = [Self.script, folder, "--port", String(port)]
        if encryption != .none {
            let (certificate, key) = try Self.makeCertificate(in: folder)
            arguments += ["--tls", encryption.rawValue, "--certificate", certificate, "--key", key]
            self.certificate = certificate
        } else {
            certificate = nil
        }
        if let credentials { arguments += ["--user", credentials.user, "--password", credentials.password] }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.python)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        let errors = folder + "/errors"
        _ = FileManager.default.createFile(atPath: errors, contents: nil)
        process.standardError = FileHandle(forWritingAtPath: errors)
        end = Self.end(of: process)
        try process.run()
        var line = Data()
        while !line.contains(UInt8(ascii: "\n")) {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else {
                let words = String(decoding: FileManager.default.contents(atPath: errors) ?? Data(), as: UTF8.self)
                throw Fault(description: "the mail server did not start: \(words)")
            }
            line += bytes
        }
        guard let port = Int(String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
        else { throw Fault(description: "the mail server told no port") }
        self.port = port
        self.encryption = encryption
        self.folder = folder
        self.process = process
    }

    deinit {
        stop()
        // Nobody needs the folder any more.
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The address in the form of the setting `smtp-url`.
    package var url: String { "\(encryption == .implicit ? "smtps" : "smtp")://127.0.0.1:\(port)" }

    /// Ends it, as if the machine had gone.
    package func stop() {
        // SIGTERM would not do: a process that was started on a thread which blocks signals is born blocking them.
        kill(process.processIdentifier, SIGKILL)
        end.wait()
        end.signal()
    }

    /// Signalled when the process has ended. `Process.waitUntilExit` needs a run loop, which no thread of a test has.
    private static func end(of process: Process) -> DispatchSemaphore {
        let end = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in end.signal() }
        return end
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
        let end = end(of: process)
        try process.run()
        end.wait()
        guard process.terminationStatus == 0 else { throw Fault(description: "openssl made no certificate") }
        return (certificate, key)
    }
}

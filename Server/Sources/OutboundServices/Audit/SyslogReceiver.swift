import Domain
import Foundation
import Synchronization
import Threads

/// Sends the audit log to a syslog server, a message for each entry (RFC 5424), by UDP (RFC 5426), TCP with the length of each
/// message before it (RFC 6587 §3.4.1), or a socket of this machine such as `/dev/log`.
///
/// None of them says that a message was kept: what was on its way when the server there ended is lost. UDP says nothing at
/// all.
package final class SyslogReceiver: AuditReceiver {
    /// How long connecting, and handing all messages of a call over, may take in all. Looking a name up is not in it.
    package static let patience: Duration = .seconds(10)

    private let address: SyslogAddress
    private let header: SyslogHeader
    private let patience: Duration
    private let threads = WorkerThreads(name: "okaeri-syslog", count: 1, maximumWaiting: 4)
    private let connection = Mutex<SyslogSocket?>(nil)

    /// - Parameters:
    ///   - address: Where to.
    ///   - host: This machine's name.
    ///   - process: This process.
    ///   - patience: How long a call may take; a server that takes longer does not take the messages.
    package init(
        _ address: SyslogAddress, host: String, process: Int32, patience: Duration = SyslogReceiver.patience
    ) {
        self.address = address
        self.patience = patience
        header = SyslogHeader(host: host, process: process)
    }

    package func send(_ lines: [AuditLine]) async -> String? {
        do throws(WorkerThreads.Refusal) {
            return try await threads.run { [self] in deliver(lines) }
        } catch {
            return "too much waits for the syslog server"
        }
    }

    package func close() async {
        await threads.close()
        connection.withLock { $0 = nil }
    }

    /// Blocks, for a bounded time.
    private func deliver(_ lines: [AuditLine]) -> String? {
        connection.withLock { connection in
            let deadline = ContinuousClock.now + patience
            do throws(SyslogFault) {
                if connection?.isOpen != true { connection = try SyslogSocket(to: address, until: deadline) }
                for line in lines {
                    try connection?.deliver(
                        header.message(of: line, limit: address.longestMessage), until: deadline)
                }
                return nil
            } catch {
                connection = nil
                return error.reason
            }
        }
    }
}

/// Where a syslog server is.
package enum SyslogAddress: Hashable, Sendable {
    case udp(host: String, port: Int)
    case tcp(host: String, port: Int)
    /// A socket of this machine.
    case unix(path: String)

    /// - Parameter text: `syslog+udp://host:514`, `syslog+tcp://host:601` or `syslog+unix:///dev/log`; the ports can be left out.
    package init?(_ text: String) {
        guard let parts = URLComponents(string: text), parts.user == nil, parts.password == nil, parts.query == nil,
            parts.fragment == nil
        else { return nil }
        let host = (parts.host ?? "").filter { $0 != "[" && $0 != "]" }
        switch parts.scheme?.lowercased() {
        case "syslog+unix":
            // What the system's structure has room for, on every system.
            guard host.isEmpty, parts.port == nil, parts.path.hasPrefix("/"), (2...103).contains(parts.path.utf8.count)
            else { return nil }
            self = .unix(path: parts.path)
        case "syslog+udp":
            guard !host.isEmpty, ["", "/"].contains(parts.path), EgressPolicy.isPort(parts.port) else { return nil }
            self = .udp(host: host, port: parts.port ?? 514)
        case "syslog+tcp":
            guard !host.isEmpty, ["", "/"].contains(parts.path), EgressPolicy.isPort(parts.port) else { return nil }
            self = .tcp(host: host, port: parts.port ?? 601)
        default: return nil
        }
    }

    /// What a message can have: a datagram of UDP no more than 65,507 bytes, and most servers less of any kind.
    var longestMessage: Int {
        switch self {
        case .udp: 2048
        case .tcp, .unix: 8192
        }
    }
}

/// What stands before the text of each message.
struct SyslogHeader: Sendable {
    let host: String
    let process: Int32

    init(host: String, process: Int32) {
        // Printable ASCII, at most 255 (RFC 5424 §6); a hyphen stands for nothing.
        let name = String(decoding: host.utf8.filter { (0x21...0x7e).contains($0) }.prefix(255), as: UTF8.self)
        self.host = name.isEmpty ? "-" : name
        self.process = process
    }

    /// Facility 13, the log of audits; what was refused is worth a notice (5), all else is information (6).
    func message(of line: AuditLine, limit: Int) -> [UInt8] {
        let time = AuditTime.text(line.at)
        let head = "<\(13 * 8 + (line.isRefusal ? 5 : 6))>1 \(time) \(host) okaeri \(process) audit - "
        let whole = Array((head + line.json).utf8)
        return whole.count <= limit ? whole : Array((head + line.shortJSON).utf8)
    }
}

/// Why a message did not go out.
struct SyslogFault: Error {
    var reason: String

    init(_ what: String, _ code: Int32 = errno) {
        reason = "\(what): \(String(cString: strerror(code)))"
    }

    /// The time was over before the server had taken everything.
    init(late what: String) {
        reason = "\(what): it takes too long"
    }

    init(name reason: String) {
        self.reason = "the syslog server's name cannot be looked up: \(reason)"
    }
}

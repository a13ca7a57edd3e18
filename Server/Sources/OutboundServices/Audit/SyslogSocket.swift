import Domain
import Foundation
import OkaeriWire

/// A socket that leads to a syslog server. Used by one thread at a time; every call ends by its deadline.
final class SyslogSocket {
    /// One of several addresses that does not answer leaves time for the next.
    private static let longestConnecting: Duration = .seconds(4)

    private let descriptor: Int32
    /// Whether each message goes behind its length.
    private let isStream: Bool

    init(to address: SyslogAddress, until deadline: ContinuousClock.Instant) throws(SyslogFault) {
        switch address {
        case .udp(let host, let port):
            descriptor = try Self.socket(to: host, port, Int32(clamping: SOCK_DGRAM.rawValue), until: deadline)
            isStream = false
        case .tcp(let host, let port):
            descriptor = try Self.socket(to: host, port, Int32(clamping: SOCK_STREAM.rawValue), until: deadline)
            isStream = true
        case .unix(let path):
            (descriptor, isStream) = try Self.socket(at: path, until: deadline)
        }
    }

    deinit { close(descriptor) }

    /// Whether the other side has not hung up. It sends nothing, so that what can be read is the end.
    var isOpen: Bool {
        guard isStream else { return true }
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(clamping: MSG_PEEK) | Int32(clamping: MSG_DONTWAIT))
        return count > 0 || count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
    }

    func deliver(_ message: [UInt8], until deadline: ContinuousClock.Instant) throws(SyslogFault) {
        let bytes = isStream ? Array("\(message.count) ".utf8) + message : message
        var sent = 0
        while sent < bytes.count {
            // A server that takes a byte now and then gets no new time with each.
            guard ContinuousClock.now < deadline else {
                throw SyslogFault(late: "the syslog server does not take a message")
            }
            Self.limit(descriptor, until: deadline)
            let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Self.flags) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SyslogFault("the syslog server does not take a message") }
            sent += count
        }
    }

    /// A connection that is gone must not end the process.
    private static var flags: Int32 {
        #if os(Linux)
            Int32(clamping: MSG_NOSIGNAL)
        #else
            0
        #endif
    }

    private static func socket(
        to host: String, _ port: Int, _ type: Int32, until deadline: ContinuousClock.Instant
    ) throws(SyslogFault) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = type
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else { throw SyslogFault(name: String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(list) }
        var reason = EADDRNOTAVAIL
        var next = list
        while let info = next?.pointee {
            let opened = Foundation.socket(info.ai_family, info.ai_socktype, info.ai_protocol)
            if opened >= 0 {
                prepare(opened, until: deadline)
                if connect(opened, info.ai_addr, info.ai_addrlen) == 0 { return opened }
                reason = errno
                close(opened)
            }
            next = info.ai_next
        }
        throw SyslogFault("the syslog server cannot be reached", reason)
    }

    /// A socket of datagrams, as syslog servers have it; one of a stream where that is none.
    private static func socket(
        at path: String, until deadline: ContinuousClock.Instant
    ) throws(SyslogFault) -> (Int32, isStream: Bool) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(clamping: AF_UNIX)
        // A path is shorter than the room, whose last byte stays 0.
        withUnsafeMutableBytes(of: &address.sun_path) { room in room.copyBytes(from: path.utf8.prefix(103)) }
        var reason = EPROTOTYPE
        for isStream in [false, true] where reason == EPROTOTYPE {
            let type = Int32(clamping: isStream ? SOCK_STREAM.rawValue : SOCK_DGRAM.rawValue)
            let opened = Foundation.socket(AF_UNIX, type, 0)
            guard opened >= 0 else { throw SyslogFault("there is no socket") }
            prepare(opened, until: deadline)
            let outcome = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(opened, $0, socklen_t(clamping: MemoryLayout<sockaddr_un>.size))
                }
            }
            if outcome == 0 { return (opened, isStream) }
            reason = errno
            close(opened)
        }
        throw SyslogFault("the syslog server cannot be reached", reason)
    }

    private static func prepare(_ descriptor: Int32, until deadline: ContinuousClock.Instant) {
        limit(descriptor, until: min(deadline, ContinuousClock.now + longestConnecting))
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if !os(Linux)
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(clamping: MemoryLayout<Int32>.size))
        #endif
    }

    /// Lets connecting and sending end by a deadline; a moment stays for what does not wait.
    private static func limit(_ descriptor: Int32, until deadline: ContinuousClock.Instant) {
        let rest = max(ContinuousClock.now.duration(to: deadline), .milliseconds(1)).components
        var limit = timeval()
        limit.tv_sec = .init(clamping: rest.seconds)
        limit.tv_usec = .init(clamping: rest.attoseconds / 1_000_000_000_000)
        // Linux bounds connecting by it too. A socket without the limit still ends by TCP's own.
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(clamping: MemoryLayout<timeval>.size))
    }
}

/// A time as RFC 5424 §6.2.3 has it, which is RFC 3339.
enum AuditTime {
    static func text(_ time: Timestamp) -> String {
        WireTime(millisecondsSince1970: time.milliseconds).description
    }
}

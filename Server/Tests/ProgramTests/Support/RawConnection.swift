import Foundation
import Glibc

/// A bare connection to a server on this machine, for requests that arrive in pieces.
final class RawConnection: Sendable {
    private let descriptor: Int32

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw TestFault("no connection: \(String(cString: strerror(errno)))") }
    }

    deinit {
        close(descriptor)
    }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw TestFault("not sent: \(String(cString: strerror(errno)))")
        }
    }

    /// Sends what the server takes now.
    ///
    /// - Returns: how many bytes those were; `nil` when the server has hung up.
    func offer(_ bytes: [UInt8]) -> Int? {
        let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : nil
    }

    /// Whether the server has hung up without a word.
    var isRefused: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN && errno != EWOULDBLOCK
    }

    /// Everything that the server sends until it closes the connection.
    func rest() async throws -> String {
        let received = Task.detached { [self] in
            var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { return all }
                all += buffer[..<count]
            }
        }
        return String(decoding: await received.value, as: UTF8.self)
    }
}

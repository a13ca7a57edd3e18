import Foundation
import Glibc

/// The little of a network that the runner needs: a port that is free, and one request at a time.
enum Loopback {
    /// A port on 127.0.0.1 that nobody listens at.
    static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = Self.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard bound else { throw BenchFault("no port is free") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// The status of the answer to a GET; `nil` when nobody answers.
    static func status(ofGet path: String, port: Int) -> Int? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = Self.address(port: port)
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard connected else { return nil }
        let request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            return nil
        }
        var answer = [UInt8](repeating: 0, count: 12)
        guard recv(descriptor, &answer, answer.count, Int32(MSG_WAITALL)) == answer.count else { return nil }
        return Int(String(decoding: answer.suffix(3), as: UTF8.self))
    }

    /// Asks every millisecond until the answer is 200.
    ///
    /// - Parameters:
    ///   - path: What to get.
    ///   - port: Where, on 127.0.0.1.
    ///   - start: When the program was started.
    ///   - isRunning: Whether it still runs.
    /// - Returns: The milliseconds from the start to the answer.
    /// - Throws: When the program ends or a minute passes before.
    static func wait(
        forGet path: String, port: Int, since start: ContinuousClock.Instant, while isRunning: () -> Bool
    ) throws -> Double {
        while true {
            if status(ofGet: path, port: port) == 200 { return (ContinuousClock.now - start) / .milliseconds(1) }
            guard isRunning(), ContinuousClock.now - start < .seconds(60) else {
                throw BenchFault("no server became ready at 127.0.0.1:\(port)")
            }
            usleep(1000)
        }
    }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}

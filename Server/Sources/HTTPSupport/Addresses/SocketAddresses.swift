package import Domain
package import NIOCore

extension IPAddress {
    /// The address of one end of a connection; `nil` for that of a local socket.
    ///
    /// Read at the offsets at which every system has it (RFC 3493 §3.3): 4 bytes behind family and port, 16 behind the flow label too.
    package init?(_ socket: SocketAddress) {
        switch socket {
        case .v4(let address):
            self.init(
                ipv4: withUnsafeBytes(of: address.address) { bytes in
                    UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
                })
        case .v6(let address):
            let halves = withUnsafeBytes(of: address.address) { bytes in
                (
                    UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                    UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
                )
            }
            self.init(high: halves.0, low: halves.1)
        case .unixDomainSocket:
            return nil
        }
    }
}

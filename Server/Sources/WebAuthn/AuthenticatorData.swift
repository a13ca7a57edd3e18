/// What an authenticator says of a ceremony and signs (WebAuthn §6.1).
package struct AuthenticatorData: Sendable {
    package static let maximumBytes = 8192
    /// §5.8.3.
    package static let credentialIdBytes = 1...1023

    struct Flags: OptionSet {
        let rawValue: UInt8

        static let userPresent = Flags(rawValue: 0x01)
        static let userVerified = Flags(rawValue: 0x04)
        static let backupEligible = Flags(rawValue: 0x08)
        static let backedUp = Flags(rawValue: 0x10)
        static let attestedCredential = Flags(rawValue: 0x40)
        static let extensions = Flags(rawValue: 0x80)
    }

    struct AttestedCredential {
        let aaguid: [UInt8]
        let id: [UInt8]
        let publicKey: [UInt8]
    }

    let rpIdHash: [UInt8]
    let flags: Flags
    let signCount: UInt32
    let attested: AttestedCredential?

    /// - Throws: `authenticatorDataMalformed`; `credentialId` for one that is empty or longer than 1023 bytes.
    package init(parsing bytes: [UInt8]) throws(WebAuthnFault) {
        guard bytes.count <= Self.maximumBytes, bytes.count >= 37 else { throw .authenticatorDataMalformed }
        rpIdHash = Array(bytes[0..<32])
        flags = Flags(rawValue: bytes[32])
        signCount = bytes[33..<37].reduce(UInt32(0)) { $0 << 8 | UInt32(clamping: $1) }
        var rest = bytes[37...]
        attested = flags.contains(.attestedCredential) ? try Self.attested(&rest) : nil
        if flags.contains(.extensions) {
            guard let extensions = try? CBOR(readingFrom: &rest), case .map = extensions else {
                throw .authenticatorDataMalformed
            }
        }
        guard rest.isEmpty else { throw .authenticatorDataMalformed }
    }

    private static func attested(_ rest: inout ArraySlice<UInt8>) throws(WebAuthnFault) -> AttestedCredential {
        guard rest.count >= 18 else { throw .authenticatorDataMalformed }
        let aaguid = Array(rest.prefix(16))
        let length = rest.dropFirst(16).prefix(2).reduce(0) { $0 << 8 | Int(clamping: $1) }
        rest = rest.dropFirst(18)
        guard credentialIdBytes.contains(length) else { throw .credentialId }
        guard rest.count >= length else { throw .authenticatorDataMalformed }
        let id = Array(rest.prefix(length))
        rest = rest.dropFirst(length)
        let key = rest
        guard (try? CBOR(readingFrom: &rest)) != nil else { throw .publicKeyMalformed }
        return AttestedCredential(aaguid: aaguid, id: id, publicKey: Array(key[..<rest.startIndex]))
    }
}

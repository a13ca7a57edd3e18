import Foundation
@_spi(Base64URL) import OkaeriWire

@testable import Okaeri

/// Secrets that are known, so that an input can hold them.
private struct KnownRandomness: Okaeri.Randomness {
    let byte: UInt8

    func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }
}

extension FuzzTarget {
    /// What the SDK reads on the device: addresses that others open the app with, and what it has stored.
    static let device = [
        FuzzTarget("web-log-in-callback") { input in
            guard let (request, other) = logIns else { return }
            let text = String(input: input)
            for address in [text, "\(request.redirect.absoluteString)?\(text)"] {
                guard let callback = URL(string: address), let code = try? request.code(in: callback) else { continue }
                expect(!code.revealed.isEmpty, "a code is a text")
                expect((try? other.code(in: callback)) == nil, "the end of one log-in is none of another")
            }
            _ = (request.fits(text), request.fits("e30.\(Base64URL.text(of: input)).AA"))
        },
        FuzzTarget("vault-record") { input in
            let damaged = Data("{".utf8)
            _ = VaultRecord.read(damaged, keys: Data(input))
            var record = VaultRecord.read(Data(input))
            let written = record.written()
            expect(VaultRecord.undamaged(written)?.written() == written, "a record is read as it was written")
            if let keys = record.keysToCopy {
                let again = VaultRecord.read(damaged, keys: keys.written()).keysToCopy
                expect(again == keys, "the copy says the same of keys")
            }
            record.logOut()
            expect(record.loggedInUser == nil && record.session == nil, "nobody is logged in after a log-out")
        },
    ]

    /// Two log-ins of one app that wait for an address.
    private static let logIns: (WebLogInRequest, WebLogInRequest)? = {
        guard let first = logIn(7), let second = logIn(8) else { return nil }
        return (first, second)
    }()

    private static func logIn(_ byte: UInt8) -> WebLogInRequest? {
        guard let redirect = URL(string: "com.example.app:/back") else { return nil }
        return try? WebLogInRequest(
            issuer: "https://id.example.com", application: "demo", redirect: redirect,
            options: WebLogInOptions(languages: []), randomness: KnownRandomness(byte: byte))
    }
}

import Domain
import Storage

@testable import PasswordHashes
@testable import StoragePostgreSQL

extension FuzzTarget {
    /// What comes out of databases that others write to as well.
    static let stored = [
        FuzzTarget("password-hash", maximumBytes: 1500) { input in
            // To compare takes long by design; here it is only read.
            let text = String(input: input)
            _ = StoredHash(PasswordHash(text: text))
            if let hash = OldPasswordHash.stored(text), FastHash(hash) != nil {
                expect(StoredHash(hash) == nil, "a fast hash is not stored")
            }
        },
        FuzzTarget("postgresql-notice", maximumBytes: 8192) { input in
            let (sender, notice) = ChangeNotice.read(String(input: input))
            guard case .changes(let changes) = notice, !changes.isEmpty else { return }
            for payload in ChangeNotice.payloads(changes, from: sender.isEmpty ? "node" : sender) {
                expect(ChangeNotice.read(payload).notice != .anything, "a notice is read as it was written")
            }
        },
        FuzzTarget("postgresql-address", maximumBytes: 1024) { input in
            _ = PostgreSQLAddress(String(input: input))?.database
        },
    ]
}

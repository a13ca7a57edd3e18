/// What a rehearsal has read of an export so far, so that records which are in each other's way are found however far apart
/// they stand. The import itself finds them in the database.
///
/// Kept are 64-bit digests: about 32 MiB for a million users, and no more than 64 MiB.
package final class ImportRehearsal {
    /// The most digests; a user has one for the id and one for each name, address, number and identity.
    package static let maximumDigests = 6_000_000

    /// The application of a rehearsal, while it is not there yet.
    package var application: Application?
    private let maximum: Int
    private var digests: Set<Int> = []
    /// Whether something was not noted because there was too much of it.
    package private(set) var isFull = false

    package init(of application: Application? = nil, maximumDigests: Int = ImportRehearsal.maximumDigests) {
        self.application = application
        maximum = maximumDigests
    }

    /// What of a user is noted already.
    func known(_ claims: [Claim]) -> [Claim] { claims.filter { digests.contains($0.digest) } }

    func note(_ claims: [Claim]) {
        for claim in claims {
            guard digests.count < maximum else { return isFull = true }
            digests.insert(claim.digest)
        }
    }

    /// Something that one user alone can have.
    struct Claim: Hashable {
        /// As the report names it.
        let field: String
        let value: String

        /// By the hash function of the process, whose key nobody who writes an export knows. Of bytes, which is what databases
        /// compare.
        fileprivate var digest: Int {
            var (hasher, value) = (Hasher(), value)
            hasher.combine(field)
            value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            return hasher.finalize()
        }
    }
}

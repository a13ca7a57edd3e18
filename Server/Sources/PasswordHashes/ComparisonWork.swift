package import Domain

/// What a comparison has to do in all, so that each one of an application takes as long, whichever hash its user has and
/// whether there is such a user (decision 0056).
///
/// The costs of different functions cannot be traded for each other, so that each function in use is run. Of one function
/// the highest cost counts, and what a cheaper hash lacks is made up to the last round.
package struct ComparisonWork: Sendable {
    /// A function with all that its cost does not grow evenly with.
    package enum Function: Hashable, Sendable {
        /// With its variant and parameters, all that stands before the salt: two of them are two functions.
        case argon2(String)
        case bcrypt
        case scrypt(blockSize: UInt32, parallelism: UInt32)
        case pbkdf2(StoredHash.PBKDF2.Digest)
        /// What runs below Argon2id in a wrapped hash, but for single digests, which take a millionth of its time.
        case fast(FastHash.Function)
    }

    /// What all functions of a comparison may cost together, when what one hash may is 1: the author of an import file must not be
    /// able to stop log-ins by many costly hashes either.
    private static let maximumShares = 2.0

    /// Of each function the most that any hash asks for.
    private let most: [Function: Int]

    /// - Parameters:
    ///   - schemes: Those in use. What this program could not try costs nothing, and is left out; so are the costliest functions
    ///     where all together would cost too much.
    ///   - standard: What new hashes are made with, which is in use sooner or later.
    package init(_ schemes: Set<PasswordScheme>, standard: Argon2id) {
        var most = standard.dummy.work
        for scheme in schemes {
            guard let hash = StoredHash(scheme.decoy) else { continue }
            most.merge(hash.work, uniquingKeysWith: max)
        }
        self.most = Self.affordable(most)
    }

    /// The cheapest functions, as many as may be run one behind the other.
    private static func affordable(_ most: [Function: Int]) -> [Function: Int] {
        let shares = most.map { (function: $0.key, cost: $0.value, share: $0.key.share(of: $0.value)) }
            .sorted { ($0.share, String(describing: $0.function)) < ($1.share, String(describing: $1.function)) }
        var (kept, spent): ([Function: Int], Double) = ([:], 0)
        for one in shares {
            spent += one.share
            guard spent <= maximumShares else { break }
            kept[one.function] = one.cost
        }
        return kept
    }

    /// What is left to do.
    ///
    /// - Parameter done: The hash that was tried; `nil` when there was none.
    /// - Returns: hashes that fit nothing. Trying all of them makes the work whole.
    package func rest(after done: StoredHash?) -> [StoredHash] {
        most.flatMap { function, cost in
            function.decoys(from: done?.work[function] ?? 0, to: cost)
        }
    }
}

extension ComparisonWork.Function {
    private static let zeros = [UInt8](repeating: 0, count: 16)

    /// A cost as a part of the most that one hash may ask for (`StoredHash`). None has more, so that nothing overflows.
    fileprivate func share(of cost: Int) -> Double {
        switch self {
        case .argon2(let head):
            let strength = PHCString(Self.argon2Decoy(head).text).flatMap { Argon2id($0) }
            return Double(strength.map { $0.memoryKiB * $0.passes } ?? 0) / Double(StoredHash.maximumPassedKiB)
        case .bcrypt: return Double(cost) / Double(StoredHash.maximumBcryptRounds)
        case .scrypt(let blockSize, let parallelism):
            return 128 * Double(blockSize) * Double(parallelism) * Double(cost) / Double(StoredHash.maximumKiB * 1024)
        case .pbkdf2: return Double(cost) / Double(StoredHash.maximumRounds)
        case .fast(let function):
            return Double(FastHash.rounds(ofCost: cost, function)) / Double(StoredHash.maximumRounds)
        }
    }

    /// A hash of Argon2 that fits nothing.
    private static func argon2Decoy(_ head: String) -> PasswordHash { PasswordScheme(text: head + "22$43").decoy }

    /// Hashes of the function that together have a cost between two costs.
    fileprivate func decoys(from done: Int, to most: Int) -> [StoredHash] {
        guard done < most else { return [] }
        switch self {
        case .argon2(let head): return [.argon2(Self.argon2Decoy(head).text)]
        case .bcrypt:
            return Self.powers(from: done, to: most).map { cost in
                let exponent = cost.trailingZeroBitCount
                let text = "$2b$\(exponent < 10 ? "0" : "")\(exponent)$" + String(repeating: ".", count: 53)
                return .bcrypt(text)
            }
        case .scrypt(let blockSize, let parallelism):
            return Self.powers(from: done, to: most).map { cost in
                .scrypt(
                    StoredHash.Scrypt(
                        cost: UInt64(clamping: cost), blockSize: blockSize, parallelism: parallelism, salt: Self.zeros,
                        hash: Self.zeros))
            }
        case .pbkdf2(let digest):
            return [
                .pbkdf2(StoredHash.PBKDF2(digest: digest, rounds: most - done, salt: Self.zeros, hash: Self.zeros))
            ]
        case .fast(let function):
            let rounds = FastHash.rounds(ofCost: most - done, function)
            // Letters that each function takes as a salt; an empty hash fits nothing.
            return FastHash(function, rounds: rounds, salt: Array("........".utf8)).map { [.fast($0)] } ?? []
        }
    }

    /// Powers of two whose sum is between two of them: 4 + 8 + 16 between 4 and 32. From zero it is the higher one.
    private static func powers(from done: Int, to most: Int) -> [Int] {
        done == 0 ? [most] : Array(sequence(first: done) { $0 < most / 2 ? $0 * 2 : nil })
    }
}

extension StoredHash {
    /// What trying it costs, function by function, each in a unit of its own: 1 for Argon2 with its parameters, the rounds of
    /// others.
    package var work: [ComparisonWork.Function: Int] {
        switch self {
        case .argon2(let text): [.argon2(PasswordScheme(of: PasswordHash(text: text))?.head ?? text): 1]
        // Read before, when the cost was found to be in its range.
        case .bcrypt(let text): [.bcrypt: 1 << (Int(text.dropFirst(4).prefix(2), radix: 10) ?? 0)]
        case .scrypt(let scrypt):
            [.scrypt(blockSize: scrypt.blockSize, parallelism: scrypt.parallelism): Int(clamping: scrypt.cost)]
        case .pbkdf2(let pbkdf2): [.pbkdf2(pbkdf2.digest): pbkdf2.rounds * pbkdf2.blocks]
        case .wrapped(let wrapped):
            wrapped.strength.dummy.work.merging(wrapped.fast.work, uniquingKeysWith: +)
        case .fast(let fast): fast.work
        }
    }
}

extension FastHash {
    /// SHA-crypt has 1000 rounds at least, so that less cannot be made up: rounds count by the thousand, some 0.3 ms.
    private static let shaCryptUnit = 1000

    fileprivate var work: [ComparisonWork.Function: Int] {
        switch function {
        case .md5crypt, .phpass: [.fast(function): rounds]
        case .sha256crypt, .sha512crypt:
            [.fast(function): (rounds + Self.shaCryptUnit / 2) / Self.shaCryptUnit]
        case .digest: [:]
        }
    }

    fileprivate static func rounds(ofCost cost: Int, _ function: Function) -> Int {
        switch function {
        case .sha256crypt, .sha512crypt: cost * shaCryptUnit
        case .md5crypt, .phpass, .digest: cost
        }
    }
}

extension StoredHash.PBKDF2 {
    /// How often the rounds are run: once for each piece of the result that is as long as the digest.
    fileprivate var blocks: Int {
        let length =
            switch digest {
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        return max(1, (hash.count + length - 1) / length)
    }
}

/// What an app attests of itself and of the device, for a first launch.
public struct DeviceAttestationBody: Codable, Hashable, Sendable {
    /// `apple-appattest`. An open set.
    public var format: String
    /// The challenge of the error that asked for it.
    public var challenge: String
    /// The SHA-256 of the attested key, base64url.
    public var keyId: String
    /// What the system made of the SHA-256 of `challenge`, a dot and the thumbprint of the proof's key; base64url.
    public var object: String

    /// Makes an attestation.
    public init(format: String, challenge: String, keyId: String, object: String) {
        self.format = format
        self.challenge = challenge
        self.keyId = keyId
        self.object = object
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case format, challenge, keyId, object }

    /// Reads an attestation that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        format = try members.decode(String.self, forKey: .format)
        challenge = try members.decode(String.self, forKey: .challenge)
        keyId = try members.decode(String.self, forKey: .keyId)
        object = try members.decode(String.self, forKey: .object)
    }
}

/// A proof of work for a first launch: the SHA-256 of `challenge`, a dot and `solution` begins with `bits` zero bits.
public struct ProofOfWorkBody: Codable, Hashable, Sendable {
    /// The challenge of the error that asked for it.
    public var challenge: String
    /// The number of that error.
    public var bits: Int
    /// At most 32 bytes.
    public var solution: String

    /// Makes a proof of work.
    public init(challenge: String, bits: Int, solution: String) {
        self.challenge = challenge
        self.bits = bits
        self.solution = solution
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case challenge, bits, solution }

    /// Reads a proof of work that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        challenge = try members.decode(String.self, forKey: .challenge)
        bits = try members.decode(Int.self, forKey: .bits)
        solution = try members.decode(String.self, forKey: .solution)
    }
}

/// What an error has with the codes `attestation_required` and `proof_of_work_required`: either is enough.
public struct FirstLaunchDemandBody: Codable, Hashable, Sendable {
    /// What an attestation is made of.
    public struct Attestation: Codable, Hashable, Sendable {
        /// Good once, for the proof's key.
        public var challenge: String
        /// The formats that count. An open set.
        public var formats: [String]

        /// Makes a challenge.
        public init(challenge: String, formats: [String]) {
            self.challenge = challenge
            self.formats = formats
        }
    }

    /// What a proof of work is made of.
    public struct Work: Codable, Hashable, Sendable {
        /// Good once, for the proof's key.
        public var challenge: String
        /// How many zero bits the digest begins with.
        public var bits: Int

        /// Makes a challenge.
        public init(challenge: String, bits: Int) {
            self.challenge = challenge
            self.bits = bits
        }
    }

    /// What an attestation is made of; absent where none counts.
    public var attestation: Attestation?
    /// What a proof of work is made of; absent where none is enough.
    public var proofOfWork: Work?
    /// Until when the challenges are good.
    public var expiresAt: WireTime

    /// Makes a demand.
    public init(attestation: Attestation?, proofOfWork: Work?, expiresAt: WireTime) {
        self.attestation = attestation
        self.proofOfWork = proofOfWork
        self.expiresAt = expiresAt
    }
}

package import Domain

extension SQLTransaction {
    package func markUsed(
        _ proof: DeviceProof, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        // Its end is signed with the proof, so that a replay has the same: entries lie in the order in which they end,
        // and are written and removed side by side (decision 0026).
        try markUsed(proof.replayEnd.orderedBytes + Self.half(proof.replayDigest), until: proof.replayEnd, application)
    }

    package func markUsed(
        _ digest: SecretDigest, until end: Timestamp, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        try markUsed(Self.half(digest), until: end, application)
    }

    package func wasUsed(
        _ digest: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        try connection.row(
            "SELECT 1 FROM used_proofs WHERE application_id = $1 AND digest = $2",
            [.id(application), .bytes(Self.half(digest))]
        ) { _ throws(DomainError) in true } ?? false
    }

    package func removeUsedProofs(endedBefore limit: Timestamp) throws(DomainError) {
        try connection.run("DELETE FROM used_proofs WHERE ends_at < $1", [.time(limit)])
    }

    private func markUsed(
        _ key: [UInt8], until end: Timestamp, _ application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        try connection.change(
            "INSERT INTO used_proofs (application_id, digest, ends_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            [.id(application), .bytes(key), .time(end)]) == 1
    }

    /// Half of a digest: 128 bits leave no chance of two proofs alike, and the table is smaller.
    private static func half(_ digest: SecretDigest) -> [UInt8] {
        Array(digest.bytes.prefix(16))
    }
}

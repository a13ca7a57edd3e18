package import Domain

extension SQLTransaction {
    package func markUsed(
        _ proof: DeviceProof, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        try markUsed(proof.replayDigest, until: proof.replayEnd, in: application)
    }

    package func markUsed(
        _ digest: SecretDigest, until end: Timestamp, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        // Half of the digest: 128 bits leave no chance of two proofs alike, and the index half as large.
        try connection.change(
            "INSERT INTO used_proofs (application_id, digest, ends_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            [.id(application), .bytes(Array(digest.bytes.prefix(16))), .time(end)]) == 1
    }

    package func wasUsed(
        _ digest: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        try connection.row(
            "SELECT 1 FROM used_proofs WHERE application_id = $1 AND digest = $2",
            [.id(application), .bytes(Array(digest.bytes.prefix(16)))]
        ) { _ throws(DomainError) in true } ?? false
    }

    package func removeUsedProofs(endedBefore limit: Timestamp) throws(DomainError) {
        try connection.run("DELETE FROM used_proofs WHERE ends_at < $1", [.time(limit)])
    }
}

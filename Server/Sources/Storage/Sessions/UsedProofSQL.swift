package import Domain

extension SQLTransaction {
    package func markUsed(
        _ proof: UsedProof, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        try connection.change(
            "INSERT INTO used_proofs (application_id, digest, ends_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            [.id(application), .bytes(proof.key), .time(proof.end)]) == 1
    }

    package func wasUsed(
        _ proof: UsedProof, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        try connection.row(
            "SELECT 1 FROM used_proofs WHERE application_id = $1 AND digest = $2",
            [.id(application), .bytes(proof.key)]
        ) { _ throws(DomainError) in true } ?? false
    }

    package func removeUsedProofs(endedBefore limit: Timestamp) throws(DomainError) {
        try connection.run("DELETE FROM used_proofs WHERE ends_at < $1", [.time(limit)])
    }
}

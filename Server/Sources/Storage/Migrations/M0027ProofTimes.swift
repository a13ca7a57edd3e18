extension Migration {
    /// The latest device proof that a server took in memory; one row.
    static let proofTimes = Migration(
        version: 27, name: "times of proofs", sqlite: [statement(integer: "INTEGER")],
        postgresql: [statement(integer: "BIGINT")])

    private static func statement(integer: String) -> String {
        "CREATE TABLE proof_times (id INTEGER NOT NULL PRIMARY KEY, latest \(integer) NOT NULL)"
    }
}

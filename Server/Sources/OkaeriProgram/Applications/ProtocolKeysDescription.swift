import Domain

extension [IssuedKeys] {
    /// The keys as `--json` shows them: `{"ncmb": {"applicationKey": …}}`.
    var described: [String: [String: String]] {
        Dictionary(
            map { issued in
                (
                    issued.protocolName.rawValue,
                    Dictionary(issued.keys.map { ($0.rawValue, $1.revealed) }, uniquingKeysWith: { $1 })
                )
            }, uniquingKeysWith: { $1 })
    }

    /// The keys for people: name and value, in the order of the protocol's own documentation.
    var lines: [(String, String)] {
        flatMap { issued in
            issued.profile.keys.map { key in
                let hidden = key.keeping == .digested ? "(shown once, only a digest is kept)" : "(none)"
                return (
                    "\(issued.protocolName.rawValue) \(key.name.rawValue)", issued.keys[key.name]?.revealed ?? hidden
                )
            }
        }
    }
}

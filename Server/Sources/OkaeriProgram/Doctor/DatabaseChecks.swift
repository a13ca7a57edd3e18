import OkaeriServer

/// Whether a shared database can be used by a node with these settings.
struct DatabaseChecks {
    let settings: ServerSettings

    func findings() async -> [Finding] {
        let inspection: DatabaseInspection
        do throws(StartFault) {
            guard let found = try await DatabaseInspection(settings) else { return [] }
            inspection = found
        } catch {
            return [.failed("database", error.description, advice: "Nothing else of it was checked.")]
        }
        return [
            database(inspection), schema(inspection), durability(inspection), connections(inspection),
            clock(inspection), await sealingKey(inspection),
        ]
    }

    private func database(_ inspection: DatabaseInspection) -> Finding {
        let words = "PostgreSQL \(inspection.serverVersion) at \(inspection.location)"
        guard inspection.closedTables.isEmpty else {
            return .failed(
                "database",
                "\(words) lets the role of the connection not read and write: "
                    + "\(inspection.closedTables.joined(separator: ", ")).",
                advice: "Let that role own Okaeri's tables, or grant it SELECT, INSERT, UPDATE and DELETE on all of "
                    + "them, and USAGE on revocations_id_seq where backups have made it.")
        }
        return inspection.isWritable
            ? .ok("database", "\(words) takes reads and writes.")
            : .failed(
                "database", "\(words) takes no writes.",
                advice: "It is a standby, or has default_transaction_read_only. Name the primary, or all hosts with "
                    + "commas between.")
    }

    private func schema(_ inspection: DatabaseInspection) -> Finding {
        let (present, latest) = (inspection.schemaVersion, inspection.latestSchemaVersion)
        if present == latest { return .ok("schema", "The database has schema version \(present), the newest.") }
        if present > latest {
            return .failed(
                "schema",
                "The database has schema version \(present), made by a newer Okaeri; this program knows up to \(latest).",
                advice: "Run the newer program, or restore a backup from before it.")
        }
        return .failed(
            "schema",
            present == 0
                ? "The database has no schema of Okaeri yet."
                : "The database has schema version \(present), and this program needs \(latest).",
            advice: "Run “okaeri migrate”; “okaeri migrate --dry-run” shows what it would do.")
    }

    private func durability(_ inspection: DatabaseInspection) -> Finding {
        inspection.unsafeSettings.isEmpty
            ? .ok("durability", "What was acknowledged survives a crash of the database.")
            : .warning(
                "durability",
                "The database may lose what was acknowledged: \(inspection.unsafeSettings.joined(separator: ", ")).",
                advice: "Set it to on in postgresql.conf.")
    }

    private func connections(_ inspection: DatabaseInspection) -> Finding {
        guard let missing = inspection.missingConnections else {
            return .ok("connections", "A node gets the \(settings.allDatabaseConnections) connections that it wants.")
        }
        return .failed(
            "connections", missing,
            advice: "Raise max_connections there, or lower \(Setting.databaseConnections.variable) here.")
    }

    private func clock(_ inspection: DatabaseInspection) -> Finding {
        let seconds = inspection.clockLead.components.seconds
        return abs(seconds) < 2
            ? .ok("database clock", "It agrees with this machine's.")
            : .warning(
                "database clock", "It differs from this machine's by \(abs(seconds).counted("second")).",
                advice: "Let all machines follow a time server: nodes judge the age of proofs by their own clocks.")
    }

    private func sealingKey(_ inspection: DatabaseInspection) async -> Finding {
        guard settings.sealingKey != nil else {
            return .failed(
                "sealing key", "\(Setting.sealingKey.variable) is not set.",
                advice: "Set it to \(Setting.sealingKey.rule), the same on all nodes.")
        }
        guard inspection.holdsSealedSecrets, inspection.schemaVersion == inspection.latestSchemaVersion,
            inspection.isWritable
        else { return .ok("sealing key", "The sealing key comes from \(Setting.sealingKey.variable).") }
        let advice = "All nodes need the key under which the secrets in the database were sealed."
        return await Finding.ofSealedSecrets(settings, advice: advice)
            ?? .ok("sealing key", "\(Setting.sealingKey.variable) opens the secrets in the database.")
    }
}

package import Domain

extension SQLTransaction {
    package func sealedValues(
        in column: SealedColumn, after row: [String]?, limit: Int
    ) throws(DomainError) -> [SealedValue] {
        let start = row ?? ["", "", ""]
        guard let query = column.page else {
            return column == .applicationSettings
                ? try settingsValues(after: start, limit: limit) : try protocolKeyValues(after: start, limit: limit)
        }
        return try connection.rows(query, column.key(of: start) + [.count(limit)]) { row throws(DomainError) in
            let reader = ColumnReader<SealedRowColumn>(row)
            let first = column.hasDigestKey ? Base64URL.text(of: reader.bytes(.first)) : reader.text(.first)
            return SealedValue(
                column: column, row: [first, reader.text(.second), reader.text(.third)], sealed: reader.bytes(.sealed))
        }
    }

    package func reseal(_ value: SealedValue, as sealed: [UInt8]) throws(DomainError) -> Bool {
        guard let query = value.column.replacement else {
            return value.column == .applicationSettings
                ? try resealSettings(value, as: sealed) : try resealProtocolKey(value, as: sealed)
        }
        return try connection.change(
            query, [.bytes(sealed)] + value.column.key(of: value.row) + [.bytes(value.sealed)]) == 1
    }

    /// The values of whole rows, since a row is one JSON document.
    private func protocolKeyValues(after start: [String], limit: Int) throws(DomainError) -> [SealedValue] {
        var start = start
        while true {
            let sets = try connection.all(
                ProtocolKeyRow.self,
                """
                FROM protocol_keys WHERE (application_id, protocol) > ($1, $2) ORDER BY application_id, protocol LIMIT $3
                """, [.text(start[0]), .text(start[1]), .count(limit)])
            let values = sets.flatMap { set in
                set.sealed.sorted { $0.key.rawValue < $1.key.rawValue }.map { key, sealed in
                    SealedValue(
                        column: .protocolKeys,
                        row: [set.application.rawValue, set.protocolName.rawValue, key.rawValue], sealed: sealed)
                }
            }
            // Rows without sealed keys end no page.
            guard values.isEmpty, let last = sets.last else { return values }
            start = [last.application.rawValue, last.protocolName.rawValue, ""]
        }
    }

    /// The values of whole applications, since their settings are one JSON document.
    private func settingsValues(after start: [String], limit: Int) throws(DomainError) -> [SealedValue] {
        var start = start[0]
        while true {
            let page = try connection.all(
                ApplicationRow.self, "FROM applications WHERE id > $1 ORDER BY id LIMIT $2",
                [.text(start), .count(limit)])
            let values = page.flatMap(\.sealedValues)
            // Applications without such values end no page.
            guard values.isEmpty, let last = page.last else { return values }
            start = last.id.rawValue
        }
    }

    private func resealSettings(_ value: SealedValue, as sealed: [UInt8]) throws(DomainError) -> Bool {
        guard value.row.count == 3, var application = try application(Identifier(rawValue: value.row[0])),
            application.settings.replace(value, by: sealed)
        else { return false }
        try update(application)
        return true
    }

    private func resealProtocolKey(_ value: SealedValue, as sealed: [UInt8]) throws(DomainError) -> Bool {
        guard value.row.count == 3 else { return false }
        let name = ProtocolKey(rawValue: value.row[2])
        let sets = try protocolKeys(of: Identifier(rawValue: value.row[0]))
        guard var set = sets.first(where: { $0.protocolName.rawValue == value.row[1] }),
            set.sealed[name] == value.sealed
        else { return false }
        set.sealed[name] = sealed
        try save(set)
        return true
    }
}

extension Application {
    /// The sealed values of its settings.
    fileprivate var sealedValues: [SealedValue] {
        SettingsSecret.allCases.flatMap { kind in
            settings.secrets(of: kind).map { name, sealed in
                SealedValue(column: .applicationSettings, row: [id.rawValue, name, kind.rawValue], sealed: sealed)
            }
        }
    }
}

extension ApplicationSettings {
    /// Puts another record where a value is; `false` when the value is not there any more.
    fileprivate mutating func replace(_ value: SealedValue, by sealed: [UInt8]) -> Bool {
        guard let kind = SettingsSecret(rawValue: value.row[2]),
            secrets(of: kind).contains(where: { $0.name == value.row[1] && $0.sealed == value.sealed })
        else { return false }
        setSecret(kind, of: value.row[1], to: sealed)
        return true
    }
}

private enum SealedRowColumn: Int, RowColumn {
    case first, second, third, sealed
}

extension SealedColumn {
    fileprivate var hasDigestKey: Bool { self == .adminLinkTOTP }

    /// What a row's key is bound as.
    fileprivate func key(of row: [String]) -> [Value] {
        if hasDigestKey { return [.bytes(row.first.flatMap { Base64URL.bytes(of: $0.utf8) } ?? [])] }
        let width =
            switch self {
            case .adminTOTP, .adminLinkTOTP, .signingKeys: 1
            case .providerGrants, .userTOTP: 3
            case .providerSecrets, .providerRevocations, .mailQueue, .mailOutbox, .eventSecrets, .formerEventSecrets,
                .protocolKeys:
                2
            case .applicationSettings: 1
            }
        return row.prefix(width).map { .text($0) }
    }

    /// Three texts of a row and its value; `nil` for the one that is JSON.
    fileprivate var page: Query? {
        switch self {
        case .providerSecrets:
            """
            SELECT application_id, provider, '', sealed_secret FROM providers
            WHERE (application_id, provider) > ($1, $2) AND sealed_secret IS NOT NULL ORDER BY application_id, provider LIMIT $3
            """
        case .providerGrants:
            """
            SELECT application_id, provider, subject, sealed_grant FROM provider_accounts
            WHERE (application_id, provider, subject) > ($1, $2, $3) AND sealed_grant IS NOT NULL ORDER BY application_id, provider, subject LIMIT $4
            """
        case .providerRevocations:
            """
            SELECT application_id, id, provider, sealed_grant FROM provider_revocations
            WHERE (application_id, id) > ($1, $2) AND sealed_grant IS NOT NULL ORDER BY application_id, id LIMIT $3
            """
        case .mailQueue:
            """
            SELECT application_id, id, '', sealed FROM mail_queue
            WHERE (application_id, id) > ($1, $2) AND sealed IS NOT NULL ORDER BY application_id, id LIMIT $3
            """
        case .mailOutbox:
            """
            SELECT application_id, id, '', sealed FROM mail_outbox
            WHERE (application_id, id) > ($1, $2) AND sealed IS NOT NULL ORDER BY application_id, id LIMIT $3
            """
        case .eventSecrets:
            """
            SELECT application_id, id, '', sealed_secret FROM event_endpoints
            WHERE (application_id, id) > ($1, $2) AND sealed_secret IS NOT NULL ORDER BY application_id, id LIMIT $3
            """
        case .formerEventSecrets:
            """
            SELECT application_id, id, '', sealed_former FROM event_endpoints
            WHERE (application_id, id) > ($1, $2) AND sealed_former IS NOT NULL ORDER BY application_id, id LIMIT $3
            """
        case .userTOTP:
            """
            SELECT application_id, user_id, id, sealed_key FROM totp_factors
            WHERE (application_id, user_id, id) > ($1, $2, $3) AND sealed_key IS NOT NULL ORDER BY application_id, user_id, id LIMIT $4
            """
        case .adminTOTP:
            """
            SELECT id, '', '', sealed_totp FROM admins
            WHERE id > $1 AND sealed_totp IS NOT NULL ORDER BY id LIMIT $2
            """
        case .adminLinkTOTP:
            """
            SELECT digest, '', '', sealed_totp FROM admin_links
            WHERE digest > $1 AND sealed_totp IS NOT NULL ORDER BY digest LIMIT $2
            """
        case .signingKeys:
            """
            SELECT id, '', '', sealed FROM signing_keys
            WHERE id > $1 AND sealed IS NOT NULL ORDER BY id LIMIT $2
            """
        case .applicationSettings, .protocolKeys: nil
        }
    }

    fileprivate var replacement: Query? {
        switch self {
        case .providerSecrets:
            """
            UPDATE providers SET sealed_secret = $1
            WHERE application_id = $2 AND provider = $3 AND sealed_secret = $4
            """
        case .providerGrants:
            """
            UPDATE provider_accounts SET sealed_grant = $1
            WHERE application_id = $2 AND provider = $3 AND subject = $4 AND sealed_grant = $5
            """
        case .providerRevocations:
            """
            UPDATE provider_revocations SET sealed_grant = $1
            WHERE application_id = $2 AND id = $3 AND sealed_grant = $4
            """
        case .mailQueue:
            """
            UPDATE mail_queue SET sealed = $1
            WHERE application_id = $2 AND id = $3 AND sealed = $4
            """
        case .mailOutbox:
            """
            UPDATE mail_outbox SET sealed = $1
            WHERE application_id = $2 AND id = $3 AND sealed = $4
            """
        case .eventSecrets:
            """
            UPDATE event_endpoints SET sealed_secret = $1
            WHERE application_id = $2 AND id = $3 AND sealed_secret = $4
            """
        case .formerEventSecrets:
            """
            UPDATE event_endpoints SET sealed_former = $1
            WHERE application_id = $2 AND id = $3 AND sealed_former = $4
            """
        case .userTOTP:
            """
            UPDATE totp_factors SET sealed_key = $1
            WHERE application_id = $2 AND user_id = $3 AND id = $4 AND sealed_key = $5
            """
        case .adminTOTP:
            """
            UPDATE admins SET sealed_totp = $1
            WHERE id = $2 AND sealed_totp = $3
            """
        case .adminLinkTOTP:
            """
            UPDATE admin_links SET sealed_totp = $1
            WHERE digest = $2 AND sealed_totp = $3
            """
        case .signingKeys:
            """
            UPDATE signing_keys SET sealed = $1
            WHERE id = $2 AND sealed = $3
            """
        case .applicationSettings, .protocolKeys: nil
        }
    }
}

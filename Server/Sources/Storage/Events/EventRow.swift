package import Domain

package enum EventRow: StoredRow {
    package static let table: StaticString = "events"

    package enum Column: Int, RowColumn {
        case applicationId, id, type, userId, leftUserId, happenedAt, details, position
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> Event {
        var event = Event(
            id: row.id(.id), application: row.id(.applicationId), type: EventType(rawValue: row.text(.type)),
            user: row.id(.userId), leftUser: row.optionalId(.leftUserId), at: row.time(.happenedAt),
            details: try JSONText.decode([String: String].self, from: row.text(.details)))
        event.position = row.isNull(.position) ? nil : row.integer(.position)
        return event
    }

    package static func stored(_ event: Event, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(event.application)
        case .id: .id(event.id)
        case .type: .text(event.type.rawValue)
        case .userId: .id(event.user)
        case .leftUserId: .optional(event.leftUser)
        case .happenedAt: .time(event.at)
        case .details: .text(JSONText.encode(event.details))
        case .position: event.position.map(Value.integer) ?? .null
        }
    }
}

package enum EventEndpointRow: StoredRow {
    package static let table: StaticString = "event_endpoints"

    package enum Column: Int, RowColumn {
        case applicationId, id, url, types, includesUser, isPaused, createdAt, sealedSecret, sealedFormer, formerUntil,
            failures, resumesAt, goneAt
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> EventEndpoint {
        var endpoint = EventEndpoint(
            id: row.id(.id), application: row.id(.applicationId), url: row.text(.url),
            types: try JSONText.decode([String].self, from: row.text(.types)).map(EventType.init(rawValue:)),
            includesUser: row.isTrue(.includesUser), createdAt: row.time(.createdAt),
            sealedSecret: row.bytes(.sealedSecret))
        endpoint.isPaused = row.isTrue(.isPaused)
        endpoint.sealedFormer = row.optionalBytes(.sealedFormer)
        endpoint.formerUntil = row.optionalTime(.formerUntil)
        endpoint.failures = row.count(.failures)
        endpoint.resumesAt = row.time(.resumesAt)
        endpoint.goneAt = row.optionalTime(.goneAt)
        return endpoint
    }

    package static func stored(_ endpoint: EventEndpoint, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(endpoint.application)
        case .id: .id(endpoint.id)
        case .url: .text(endpoint.url)
        case .types: .text(try JSONText.encode(endpoint.types.map(\.rawValue)))
        case .includesUser: .truth(endpoint.includesUser)
        case .isPaused: .truth(endpoint.isPaused)
        case .createdAt: .time(endpoint.createdAt)
        case .sealedSecret: .bytes(endpoint.sealedSecret)
        case .sealedFormer: .optional(endpoint.sealedFormer)
        case .formerUntil: .optional(endpoint.formerUntil)
        case .failures: .count(endpoint.failures)
        case .resumesAt: .time(endpoint.resumesAt)
        case .goneAt: .optional(endpoint.goneAt)
        }
    }
}

package enum EventDeliveryRow: StoredRow {
    package static let table: StaticString = "event_deliveries"

    package enum Column: Int, RowColumn {
        case applicationId, endpointId, position, eventId, userId, attempts, nextTryAt, isGivenUp, lastFault,
            leftUserId, claim
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> EventDelivery {
        var delivery = EventDelivery(
            application: row.id(.applicationId), endpoint: row.id(.endpointId), event: row.id(.eventId),
            user: row.id(.userId), position: row.integer(.position), nextTryAt: row.optionalTime(.nextTryAt))
        delivery.attempts = row.count(.attempts)
        delivery.isGivenUp = row.isTrue(.isGivenUp)
        delivery.lastFault = row.optionalText(.lastFault)
        delivery.leftUser = row.optionalId(.leftUserId)
        delivery.claim = row.optionalText(.claim)
        return delivery
    }

    package static func stored(_ delivery: EventDelivery, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(delivery.application)
        case .endpointId: .id(delivery.endpoint)
        case .position: .integer(delivery.position)
        case .eventId: .id(delivery.event)
        case .userId: .id(delivery.user)
        case .attempts: .count(delivery.attempts)
        case .nextTryAt: .optional(delivery.nextTryAt)
        case .isGivenUp: .truth(delivery.isGivenUp)
        case .lastFault: .optional(delivery.lastFault)
        case .leftUserId: .optional(delivery.leftUser)
        case .claim: .optional(delivery.claim)
        }
    }
}

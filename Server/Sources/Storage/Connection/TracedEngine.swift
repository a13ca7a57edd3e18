package import Domain

/// An engine whose transactions and statements show in the traces of requests. It stands before the engine only while
/// traces are made.
///
/// What happens outside of requests, as housekeeping, is no part of a trace.
package final class TracedEngine: Engine {
    private let engine: any Engine
    private let system: String

    /// - Parameters:
    ///   - engine: Does the work.
    ///   - dialect: Which one it is.
    package init(_ engine: any Engine, _ dialect: Dialect) {
        self.engine = engine
        system = dialect == .sqlite ? "sqlite" : "postgresql"
    }

    package var validity: any CacheValidity { engine.validity }

    package func observeChanges(_ observer: @escaping @Sendable (Change) -> Void) { engine.observeChanges(observer) }

    package func observeFaults(_ observer: @escaping @Sendable (String) -> Void) { engine.observeFaults(observer) }

    package func close() async { await engine.close() }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await spanning("transaction read", body) { body throws(DomainError) in try await engine.read(body) }
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await spanning("transaction write", body) { body throws(DomainError) in try await engine.write(body) }
    }

    package func writeStatement<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await spanning("transaction statement", body) { body throws(DomainError) in
            try await engine.writeStatement(body)
        }
    }

    private typealias Body<Value> = @Sendable (any Transaction) throws(DomainError) -> Value

    /// Runs a transaction, within a request in a span of that name.
    private func spanning<Value: Sendable>(
        _ name: String, _ body: @escaping Body<Value>,
        _ run: (@escaping Body<Value>) async throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        guard let span = CurrentSpan.value?.child(name) else { return try await run(body) }
        do throws(DomainError) {
            let value = try await run { [system] transaction throws(DomainError) in
                try Self.traced(transaction, span, system, body)
            }
            end(span)
            return value
        } catch {
            end(span, error)
            throw error
        }
    }

    package func search<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async -> Searched<Value> {
        guard let span = CurrentSpan.value?.child("transaction search") else {
            return await engine.search(within: limit, body)
        }
        let searched = await engine.search(within: limit) { [system] transaction throws(DomainError) in
            try Self.traced(transaction, span, system, body)
        }
        switch searched.result {
        case .success: end(span)
        case .failure(let error): end(span, error)
        }
        return searched
    }

    private func end(_ span: TraceSpan, _ error: DomainError? = nil) {
        // What a rule refuses is no fault of the storage, and shows as the request's status.
        let fault = error.flatMap { $0.kind == .unavailable ? $0.code.rawValue : nil }
        span.end([SpanAttribute("db.system.name", system)], error: fault)
    }

    private static func traced<Value>(
        _ transaction: any Transaction, _ span: TraceSpan, _ system: String,
        _ body: (any Transaction) throws(DomainError) -> Value
    ) throws(DomainError) -> Value {
        guard let transaction = transaction as? SQLTransaction else { return try body(transaction) }
        return try transaction.with(TracedConnection(transaction.connection, span, system), body)
    }
}

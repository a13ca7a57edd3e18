import Domain
import HTTPSupport
import HTTPTypes
import OkaeriWire

/// Many calls in one.
struct BatchController: Sendable {
    /// What a batch may hold: every operation but a batch.
    let operations: ParseOperations

    /// `POST /batch`: many calls in one, done in their order, with one caller. Each has its own success or error.
    func run(_ call: ParseCall) async throws -> ParseResponse {
        guard case .array(let requests)? = call.body["requests"] else {
            throw ParseFault(107, "requests must be an array")
        }
        guard requests.count <= Self.maximumBatch else {
            throw ParseFault(107, "requests must not be more than \(Self.maximumBatch)")
        }
        if call.body["transaction"] == true {
            throw ParseFault(119, "Batches as one transaction are not offered.")
        }
        let calls = try requests.map { try item($0, of: call) }
        guard calls.count(where: \.hasCredential) <= Self.maximumCredentials else {
            throw ParseFault(
                107, "requests must not have more than \(Self.maximumCredentials) passwords and authData together")
        }
        var results: [JSONValue] = []
        var (size, values, hasRoom) = (ResponseSize(), Self.maximumValues, true)
        for item in calls {
            do {
                // Each request that was done has its response. Once these are too much, no further one is begun.
                guard hasRoom else { throw DomainError.searchTooLarge }
                let response = try await operations.answer(item)
                let value = response.value
                hasRoom = size.hasRoom(for: ResponseSize.of(value)) && value.takesNoMore(than: &values)
                // An app's own server answers with its own errors.
                results.append([response.status.kind == .successful ? "success" : "error": value])
            } catch {
                results.append(["error": .object(ParseErrors.body(ParseErrors.fault(error)))])
            }
        }
        return ParseResponse(.value(.array(results)))
    }

    private static let maximumBatch = 100
    /// The values of all responses, behind which no further request is begun: they wait in memory until the last one has its own.
    private static let maximumValues = JSONReader.maximumValues
    /// The most calls of a batch that compare or hash a password, or ask a provider: each is worth thousands of others.
    static let maximumCredentials = 10

    /// One of a batch.
    ///
    /// - Throws: 107, before anything is done, for a path that leads nowhere, and 102 for a query that cannot be read.
    private func item(_ value: JSONValue, of call: ParseCall) throws(ParseFault) -> ParseCall {
        guard case .object(let members) = value, case .string(let method)? = members["method"],
            case .string(let target)? = members["path"], method.utf8.count <= 10, target.utf8.count <= 2000,
            let known = HTTPRequest.Method(method.uppercased())
        else { throw ParseFault(107, "requests must have a method and a path") }
        let path = target.before("?")
        let origin = call.requests.base(call.request, call.context, "")
        let mount = origin.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }
        guard let prefix = call.requests.prefixes.map({ mount + $0 }).first(where: { path.hasPrefix("\($0)/") }) else {
            throw ParseFault(107, "cannot route batch path \(target.prefix(200))")
        }
        var item = call
        item.isInBatch = true
        item.method = known
        item.segments = path.dropFirst(prefix.count).pieces(at: "/")
        item.body = [:]
        // As of a request of its own, what an item that reads says in its body counts more than its address.
        item.query = try known == .get ? ParseRequests.items(of: target) : [:]
        item.objectId = ""
        if case .object(let body)? = members["body"] {
            if known == .get { item.query.merge(body) { _, member in member } } else { item.body = body }
        }
        guard operations.routes(item) else {
            throw .cannotRoute(known, String(target.prefix(200)), status: 400)
        }
        return item
    }
}

extension ParseCall {
    /// Whether a password or a provider's credential comes with it, whatever is done with them.
    fileprivate var hasCredential: Bool {
        ["login", "verifyPassword"].contains(segments.first)
            || ["password", "authData"].contains { body[$0] != nil || query[$0] != nil }
    }
}

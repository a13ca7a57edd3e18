import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import OkaeriWire

/// A request of the admin API, with who asks.
struct AdminCall: Sendable {
    let api: AdminAPI
    let request: Request
    let context: ServerContext
    /// Who asks; `nil` on an open route.
    private var access: AdminAccess?
    private(set) var token: Secret?
    /// The application that the path names.
    var applicationId: Identifier<Domain.Application>?
    private var application: Domain.Application?

    init(api: AdminAPI, request: Request, context: ServerContext) {
        self.api = api
        self.request = request
        self.context = context
    }

    var rules: Administration { api.modules.administration }
    var modules: Modules { api.modules }
    var origin: RequestOrigin { api.native.origin(of: request, context) }
    var client: ClientAddress { api.native.gate.client(of: request, context) }

    /// Reads whose token or key the request carries.
    ///
    /// - Throws: `administration(adminRequired)`, `storageUnavailable`.
    mutating func authenticate() async throws(DomainError) {
        token = request.headers.value(of: .authorization).flatMap { text -> Secret? in
            guard let parts = text.cut(at: " "), parts.before.lowercased() == "bearer" else { return nil }
            return Secret(String(parts.after))
        }
        access = try await rules.logIns.findAdmin(
            token, at: api.native.gate.attestedClient(of: request, context), from: origin)
    }

    /// - Throws: `administration(notFound)`, `storageUnavailable`.
    mutating func readApplication() async throws(DomainError) {
        guard let applicationId else { return }
        do throws(DomainError) {
            application = try await modules.applications.findApplication(applicationId)
        } catch {
            guard case .applicationUnknown = error else { throw error }
            throw .administration(.notFound)
        }
    }

    private var actor: AdminActor { access.map { .admin($0, origin) } ?? .anonymous(origin) }

    /// Does something under the policy of its action.
    func perform<Output>(
        _ action: AdminAction, on user: Identifier<User>? = nil, _ work: (Operator) async throws -> Output
    ) async throws -> Output {
        try await rules.perform(action, by: actor, in: applicationId, on: user, refusal: { $0 }, work)
    }

    /// Whether an action would be allowed, for one that depends on what is found meanwhile.
    func allows(_ action: AdminAction) -> Bool { rules.perform.allows(action, by: actor, in: applicationId) }

    /// Refuses an action that shows within another one.
    func require(_ action: AdminAction) throws(DomainError) {
        try rules.perform.require(action, by: actor, in: applicationId)
    }

    /// Whether the caller, looked up anew, may do something, for a response that goes on for long. A step-up counts for its
    /// beginning.
    ///
    /// - Throws: `storageUnavailable`.
    func stillAllows(_ action: AdminAction) async throws(DomainError) -> Bool {
        guard let access else { return false }
        do throws(DomainError) {
            return try await again(access).may(action, in: applicationId)
        } catch {
            switch error {
            case .adminRequired: return false
            default: throw error
            }
        }
    }

    /// The same for a response that was long in coming: it is refused in the end, as a request of then would be.
    ///
    /// - Throws: `administration(adminRequired)`, `administration(notFound)`, `administration(notAllowed)`,
    ///   `storageUnavailable`.
    func requireStill(_ action: AdminAction) async throws(DomainError) {
        try await again(try caller()).require(action, in: applicationId)
    }

    private func again(_ access: AdminAccess) async throws(DomainError) -> AdminAccess {
        try await rules.logIns.findAdmin.again(
            access, by: token, at: api.native.gate.attestedClient(of: request, context), from: origin)
    }

    /// - Throws: `administration(adminRequired)` on an open route.
    func caller() throws(DomainError) -> AdminAccess {
        guard let access else { throw .administration(.adminRequired) }
        return access
    }

    /// What the caller sees of the application's users.
    func reader() throws(DomainError) -> AdminReader {
        AdminReader(try caller(), in: try targetApplication().id)
    }

    /// Who does it, for the audit log.
    func auditActor() throws(DomainError) -> Operator { try caller().auditActor(from: origin) }

    /// - Throws: `administration(notFound)` on a route without one.
    func targetApplication() throws(DomainError) -> Domain.Application {
        guard let application else { throw .administration(.notFound) }
        return application
    }

    /// A segment of the path by its name: many libraries encode the colon of `oidc:NAME`, and imported ids may hold any sign.
    func id(_ name: String, maximumBytes: Int = 128) throws(DomainError) -> String {
        guard let id = context.parameters.get(name).flatMap(PercentEncoding.text(ofSegment:)),
            id.utf8.count <= maximumBytes, !id.utf8.contains(0)
        else { throw .administration(.notFound) }
        return id
    }

    func user() throws(DomainError) -> Identifier<User> { Identifier(rawValue: try id("user")) }

    /// The body, which must be there.
    func body<Body: Decodable & Sendable>(_ type: Body.Type) async throws -> Body {
        try await api.native.requiredJSON(type, of: request, context)
    }

    /// The version that the header `If-Match` names (RFC 9110 §13.1.1): milliseconds in quotes.
    func version() throws(DomainError) -> Timestamp {
        guard let number = Int64(try versionText(), radix: 10) else { throw .administration(.changedMeanwhile) }
        return Timestamp(milliseconds: number)
    }

    /// The same as any text.
    func versionText() throws(DomainError) -> String {
        guard let sent = request.headers.value(of: .ifMatch) else { throw .administration(.versionRequired) }
        guard sent.utf8.count > 2, sent.utf8.first == Self.quote, sent.utf8.last == Self.quote else {
            throw .administration(.changedMeanwhile)
        }
        return String(sent.dropFirst().dropLast())
    }

    /// The version that the header names, of an edit that needs none; `nil` without it, and for whatever is there (`*`).
    func versionIfSent() throws(DomainError) -> String? {
        guard let sent = request.headers.value(of: .ifMatch), sent != "*" else { return nil }
        return try versionText()
    }

    /// Whether the application is still the one whose version the caller has seen; for a transaction. `nil` fits all.
    func isCurrent(_ version: String?) throws(DomainError) -> @Sendable (Domain.Application) -> Bool {
        guard let version else { return { _ in true } }
        return try targetApplication().isStill(version)
    }

    /// The attempt that the header `Idempotency-Key` names, to make what has a secret that is shown once; `nil` without it.
    func attempt() throws(RequestError) -> Attempt? {
        guard let name = try Attempt.name(of: request) else { return nil }
        return Attempt(name: name, request: [UInt8]())
    }

    /// An answer with the version of what it shows.
    func answer(
        _ body: some Encodable, status: HTTPResponse.Status = .ok, version: Timestamp? = nil
    ) throws -> Response {
        var headers = HTTPFields()
        if let version { headers[.eTag] = version.entityTag }
        return try JSONResponse(body: body, status: status, headers: headers).response()
    }

    /// An answer that is part of an application, with the application's version.
    func answer(_ body: some Encodable, versionOf application: Domain.Application) throws -> Response {
        try answer(body, eTag: application.version)
    }

    /// The same for a part that has a version of its own.
    func answer(_ body: some Encodable, eTag version: String) throws -> Response {
        try JSONResponse(body: body, status: .ok, headers: [.eTag: "\"\(version)\""]).response()
    }

    static let done = Response(status: .noContent)

    private static let quote = UInt8(ascii: "\"")
}

/// The part of an address behind the question mark: closed, as bodies are.
struct AdminQuery {
    private let values: [String: String]

    /// - Throws: `RequestError.membersInvalid` for a name that is not known here, or that is there twice.
    init(_ call: AdminCall, _ names: String...) throws(RequestError) {
        do {
            values = try QueryItems(call.request).items
        } catch {
            throw Self.malformed(error.name, .form("Once, and as text of UTF-8."))
        }
        for (name, value) in values {
            guard names.contains(name), value.utf8.count <= 400, !value.utf8.contains(0) else {
                let known = names.isEmpty ? "nothing" : names.joined(separator: ", ")
                throw Self.malformed(
                    MemberFault.printable(name), .form("Known here: \(known); each with at most 400 bytes."))
            }
        }
    }

    /// A value; one that is empty is as good as none.
    func text(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    func truth(_ name: String) throws(RequestError) -> Bool? {
        switch text(name) {
        case nil: nil
        case "true"?: true
        case "false"?: false
        default: throw Self.malformed(name, .form("true or false."))
        }
    }

    func number(_ name: String, in range: ClosedRange<Int>) throws(RequestError) -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Int(text, radix: 10), range.contains(number) else {
            throw Self.malformed(name, .form("A whole number from \(range.lowerBound) to \(range.upperBound)."))
        }
        return number
    }

    /// A day: `2026-11-21`, at its beginning in UTC.
    func day(_ name: String) throws(RequestError) -> Timestamp? {
        guard let text = text(name) else { return nil }
        guard let time = WireTime("\(text)T00:00:00.000Z") else { throw Self.malformed(name, Self.dayForm) }
        return Timestamp(milliseconds: time.millisecondsSince1970)
    }

    /// What a day looks like.
    static let dayForm = MemberFault.Rule.form("A day such as 2026-11-21.")

    static func malformed(_ name: String, _ rule: MemberFault.Rule) -> RequestError {
        .membersInvalid([MemberFault(path: name, rule: rule)])
    }
}

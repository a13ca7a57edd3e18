import Domain
import HTTPTypes
import OkaeriWire

extension ParseAPI {
    /// The version of Parse Server whose answers these are.
    private static let version = "7.3.0"

    /// `GET /config`: an app's configuration, of which there is none.
    func config(_ call: ParseCall) async throws -> ParseResponse { ParseResponse(["params": [:]]) }

    /// `GET /roles`: nobody has one.
    func listRoles(_ call: ParseCall) async throws -> ParseResponse {
        var members: [String: JSONValue] = ["results": []]
        if try QueryOptions(call).counts { members["count"] = 0 }
        return ParseResponse(members)
    }

    /// `GET /serverInfo`: what the dashboard asks first.
    func serverInfo(_ call: ParseCall) async throws -> ParseResponse {
        guard call.caller.isMaster else { throw ParseFault.needsMaster }
        let nothing: JSONValue = ["create": false, "read": false, "update": false, "delete": false]
        return ParseResponse([
            "features": [
                "globalConfig": nothing, "hooks": nothing, "cloudCode": ["jobs": false],
                "logs": ["level": false, "size": false, "order": false, "until": false, "from": false],
                "push": [
                    "immediatePush": false, "scheduledPush": false, "storedPushData": false, "pushAudiences": false,
                ],
                "schemas": [
                    "addField": false, "removeField": false, "addClass": false, "removeClass": false,
                    "clearAllDataFromClass": false, "exportClass": false, "editClassLevelPermissions": false,
                    "editPointerPermissions": false,
                ],
                "settings": ["securityCheck": false],
            ],
            "parseServerVersion": .string(Self.version),
        ])
    }

    /// `POST /challenge`: no provider here has one.
    func challenge(_ call: ParseCall) async throws -> ParseResponse {
        guard let asked = call.body["challengeData"] else { throw ParseFault(-1, "Nothing to challenge.") }
        guard case .object = asked else { throw ParseFault(-1, "challengeData should be an object.") }
        if let authData = call.body["authData"] {
            guard case .object = authData else { throw ParseFault(-1, "authData should be an object.") }
        }
        return ParseResponse(["challengeData": [:]])
    }

    /// `POST /batch`: many calls in one, done in their order, with one caller. Each has its own success or error.
    func batch(_ call: ParseCall) async throws -> ParseResponse {
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
        for item in calls {
            do {
                results.append(["success": try await answer(item).value])
            } catch {
                results.append(["error": .object(ParseErrors.body(ParseErrors.fault(error)))])
            }
        }
        return ParseResponse(.value(.array(results)))
    }

    private static let maximumBatch = 100
    /// The most calls of a batch that compare or hash a password, or ask a provider: each is worth thousands of others.
    static let maximumCredentials = 10

    /// One of a batch.
    ///
    /// - Throws: 107, before anything is done, for a path that leads nowhere.
    private func item(_ value: JSONValue, of call: ParseCall) throws(ParseFault) -> ParseCall {
        guard case .object(let members) = value, case .string(let method)? = members["method"],
            case .string(let target)? = members["path"], method.utf8.count <= 10, target.utf8.count <= 2000,
            let known = HTTPRequest.Method(method.uppercased())
        else { throw ParseFault(107, "requests must have a method and a path") }
        let path = target.prefix { $0 != "?" }
        let origin = base(call.request, call.context, "")
        let mount = origin.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }
        guard let prefix = prefixes.map({ mount + $0 }).first(where: { path.hasPrefix("\($0)/") }) else {
            throw ParseFault(107, "cannot route batch path \(target.prefix(200))")
        }
        var item = call
        item.isInBatch = true
        item.method = known
        item.segments = path.dropFirst(prefix.count).split(separator: "/")
        item.body = [:]
        item.query = [:]
        item.objectId = ""
        if case .object(let body)? = members["body"] {
            if known == .get { item.query = body } else { item.body = body }
        }
        guard Self.operation(known, item.segments) != nil, item.segments.first != "batch" else {
            throw .cannotRoute(known, String(target.prefix(200)))
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

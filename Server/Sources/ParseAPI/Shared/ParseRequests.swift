import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import OkaeriWire

/// What every controller needs of a request: what it says, who makes it, and from where.
final class ParseRequests: Sendable {
    let gate: ProtocolAuthenticator
    let readBody: BodyReader
    /// Where the API is served: `/parse`, `/1`.
    let prefixes: [String]
    private let clock: any WallClock
    let findSession: FindSession

    init(
        gate: ProtocolAuthenticator, readBody: BodyReader, prefixes: [String], clock: any WallClock,
        findSession: FindSession
    ) {
        self.gate = gate
        self.readBody = readBody
        self.prefixes = prefixes
        self.clock = clock
        self.findSession = findSession
    }

    var now: Timestamp { clock.now }

    /// Scheme, host and prefix, as the client has them.
    func base(_ request: Request, _ context: ServerContext, _ prefix: String) -> String {
        let target = gate.target(of: request, context)
        return "\(target.scheme)://\(target.authority)\(target.path.dropLast(request.uri.path.count))\(prefix)"
    }

    /// Reads a request: its body whatever media type it has, the method that the body says, and who makes it: by headers,
    /// or in the body, as the JavaScript SDK has it, which sends no header of its own.
    func call(
        _ request: Request, _ context: ServerContext, _ prefix: String, _ segments: [Substring]
    ) async throws -> ParseCall {
        let headers = HeaderGroup(request.headers, prefix: "x-parse-")
        var credentials = ParseCredentials(headers)
        let named = await named(
            &credentials, ParseCredentials(basic: request.headers.value(of: .authorization)), context)
        if credentials.applicationId == nil, case .failure(let error) = named, error == .applicationUnknown,
            let file = try await file(request, context, prefix, segments)
        {
            return file
        }
        if case .success(let enabled) = named, context.body != nil, context.wholeBody == nil,
            UpstreamController.takes(segments, enabled.options)
        {
            try Self.check(context: headers.value(of: .parseCloudContext))
            var call = ParseCall(
                requests: self, request: request, context: context, prefix: prefix, method: request.method,
                segments: segments, body: [:], query: try Self.items(of: request),
                caller: try admitted(enabled, credentials, request, context), credentials: credentials,
                isEnvelope: false, sent: [])
            call.hasUnreadBody = true
            return call
        }
        let sent = context.body == nil ? ByteBuffer() : try await readBody(request, context)
        var (method, body) = (request.method, try Self.members(sent, isFile: segments.first == "files"))
        if method == .post, let override = body.removeValue(forKey: "_method") { method = try Self.method(override) }
        body.removeValue(forKey: "_noBody")
        let enabled: EnabledProtocol
        var isEnvelope = false
        do {
            enabled = try named.get()
        } catch {
            guard error == .applicationUnknown, case .string(let id)? = body["_ApplicationId"] else { throw error }
            enabled = try await gate.enabled(.parse, publicKey: id, context)
            // Only now: beside a known application in the header they would be data.
            credentials = Self.credentials(takenFrom: &body)
            isEnvelope = true
        }
        try Self.check(context: headers.value(of: .parseCloudContext))
        let caller = try admitted(enabled, credentials, request, context)
        var query = try Self.items(of: request)
        if method == .get, !body.isEmpty {
            query.merge(body) { _, member in member }
            body = [:]
        }
        return ParseCall(
            requests: self, request: request, context: context, prefix: prefix, method: method, segments: segments,
            body: body, query: query, caller: caller, credentials: credentials, isEnvelope: isEnvelope,
            sent: enabled.options.upstream.isEmpty ? [] : Array(sent.readableBytesView))
    }

    /// A file of an app's own Parse Server. Its address names the application, and who has it reads the file without keys, such as a
    /// browser that shows a picture.
    ///
    /// - Returns: `nil` for every other request.
    /// - Throws: `applicationUnknown`.
    private func file(
        _ request: Request, _ context: ServerContext, _ prefix: String, _ segments: [Substring]
    ) async throws(DomainError) -> ParseCall? {
        guard [.get, .head].contains(request.method), segments.count == 3, segments[0] == "files",
            let name = PercentEncoding.text(ofSegment: String(segments[1]))
        else { return nil }
        let enabled = try await gate.enabled(.parse, publicKey: name, context)
        guard UpstreamController.takes(segments, enabled.options) else { return nil }
        var credentials = ParseCredentials()
        credentials.applicationId = name
        let caller = ParseCaller(
            enabled: enabled, options: enabled.options, isMaster: false, token: nil, session: nil,
            device: credentials.device)
        return ParseCall(
            requests: self, request: request, context: context, prefix: prefix, method: request.method,
            segments: segments, body: [:], query: [:], caller: caller, credentials: credentials, isEnvelope: false,
            sent: [])
    }

    /// The application that HTTP Basic names, or else the header: a proxy's own user may stand in the first.
    private func named(
        _ credentials: inout ParseCredentials, _ basic: ParseCredentials?, _ context: ServerContext
    ) async -> Result<EnabledProtocol, DomainError> {
        guard let basic else { return await enabled(credentials, context) }
        let named = await enabled(basic, context)
        if case .failure(let error) = named, error == .applicationUnknown { return await enabled(credentials, context) }
        credentials.take(basic)
        return named
    }

    private func enabled(
        _ credentials: ParseCredentials, _ context: ServerContext
    ) async -> Result<EnabledProtocol, DomainError> {
        do {
            return .success(try await gate.enabled(.parse, publicKey: credentials.applicationId, context))
        } catch {
            return .failure(error)
        }
    }

    /// A body of the path of a file may be anything.
    ///
    /// - Throws: 107.
    private static func members(_ buffer: ByteBuffer, isFile: Bool) throws(ParseFault) -> [String: JSONValue] {
        guard buffer.readableBytesView.contains(where: { $0 > 0x20 }) else { return [:] }
        let value: JSONValue
        do {
            value = try JSONReader.value(ofOldSDK: Array(buffer.readableBytesView))
        } catch {
            if isFile { return [:] }
            throw ParseFault(107, error.words)
        }
        guard case .object(let members) = value else {
            if isFile { return [:] }
            throw ParseFault.notJSON
        }
        return members
    }

    private static func method(_ value: JSONValue) throws(ParseFault) -> HTTPRequest.Method {
        switch value {
        case "GET": .get
        case "PUT": .put
        case "DELETE": .delete
        case "POST": .post
        default: throw ParseFault(107, "_method must be GET, PUT, POST or DELETE.")
        }
    }

    private static func items(of request: Request) throws(ParseFault) -> [String: JSONValue] {
        try items(of: request.head.path ?? "")
    }

    /// The items of an address.
    ///
    /// - Throws: 102 for one that is there twice, or that is no text.
    static func items(of target: String) throws(ParseFault) -> [String: JSONValue] {
        do {
            let items = try QueryItems(parsing: target.cut(at: "?")?.after ?? "").items
            return items.isEmpty ? [:] : items.mapValues { .string($0) }
        } catch {
            throw .invalidParameter(error.name)
        }
    }

    /// - Throws: 107.
    private static func check(context sent: String?) throws(ParseFault) {
        guard let sent, !isObject(sent) else { return }
        throw ParseFault(107, "Invalid object for context.")
    }

    private static func isObject(_ text: String) -> Bool {
        if case .object? = try? JSONValue(parsing: Array(text.utf8)) { true } else { false }
    }

    /// Takes what is no data out of a body.
    private static func credentials(takenFrom body: inout [String: JSONValue]) -> ParseCredentials {
        func take(_ name: String) -> String? {
            guard case .string(let text)? = body.removeValue(forKey: name) else { return nil }
            return text
        }
        var credentials = ParseCredentials()
        credentials.applicationId = take("_ApplicationId")
        credentials.keys[.javascriptKey] = take("_JavaScriptKey")
        credentials.keys[.clientKey] = take("_ClientKey")
        credentials.keys[.restKey] = take("_RestKey") ?? take("_RESTAPIKey")
        credentials.masterKey = take("_MasterKey")
        credentials.token = take("_SessionToken")
        credentials.device.installation = ParseCredentials.name(take("_InstallationId"))
        credentials.device.model = DeviceDescription.cut(take("_ClientVersion"))
        for name in ["_RevocableSession", "_context", "_ContentType"] { body.removeValue(forKey: name) }
        return credentials
    }
}

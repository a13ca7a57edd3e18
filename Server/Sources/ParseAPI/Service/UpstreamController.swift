package import Domain
import HTTPSupport
import HTTPTypes
import Foundation
import Hummingbird
package import NIOCore
import OkaeriWire

/// A request to an app's own Parse Server.
package struct UpstreamRequest: Sendable {
    /// Whose server is asked.
    package var application: Identifier<Domain.Application>
    /// For whom; `nil` for the app's own backend, which asks for all its users.
    package var client: ClientAddress?
    /// Whether a listed proxy wrote that address. Else it may be that of a proxy or a gateway, before which all clients are.
    package var isClientForwarded: Bool
    /// Whether the whole response is held, as that of an item of a batch is.
    package var isHeld: Bool
    package var method: String
    /// The whole address, with its query.
    package var url: String
    package var headers: [(name: String, value: String)]
    package var body: Body

    package enum Body: Sendable {
        case bytes([UInt8])
        /// What comes while it is read, with its length when that is known. The closure hands each piece on, and waits.
        case pieces(
            byteCount: Int?, @Sendable (@escaping @Sendable (ByteBuffer) async throws -> Void) async throws -> Void)
    }
}

/// What that server answered.
package struct UpstreamResponse: Sendable {
    package var status: Int
    /// By names in lower case.
    package var headers: [String: String]
    /// The next piece of the body, `nil` at its end. It throws when the other server breaks off.
    package var next: @Sendable () async throws -> ByteBuffer?

    package init(
        status: Int, headers: [String: String], next: @escaping @Sendable () async throws -> ByteBuffer?
    ) {
        self.status = status
        self.headers = headers
        self.next = next
    }
}

/// Asks an app's own Parse Server, within limits of time and size and of where a request may go.
package protocol ParseUpstream: Sendable {
    /// - Returns: `nil` when there is no response.
    /// - Throws: what reading the request's body throws.
    func callAsFunction(_ request: UpstreamRequest) async throws -> UpstreamResponse?
}

/// Everything that is neither users nor sessions, for an application that has a Parse Server of its own (decision 0075). The
/// session's token stays here; an access token says who asks.
struct UpstreamController: Sendable {
    private let ask: any ParseUpstream
    private let mintAccessToken: MintAccessToken

    init(_ modules: Modules, _ ask: any ParseUpstream) {
        self.ask = ask
        mintAccessToken = modules.sessions.mintAccessToken
    }

    /// Whether a request is the other server's. That server may read capitals as small letters, and a proxy before it may
    /// take `..` for a way up: what is kept here is kept in every writing. What stands behind `#` is never sent, so that
    /// `/users#` would arrive as `/users`.
    static func takes(_ call: ParseCall) -> Bool {
        takes(call.segments, call.caller.options)
    }

    static func takes(_ segments: [Substring], _ options: ForeignOptions) -> Bool {
        guard !options.upstream.isEmpty else { return false }
        var names: [String] = []
        for segment in segments {
            guard !segment.utf8.contains(UInt8(ascii: "#")),
                let name = PercentEncoding.text(ofSegment: String(segment)), ![".", ".."].contains(name),
                !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x2f || $0 == 0x5c })
            else { return false }
            names.append(name.lowercased())
        }
        guard let first = names.first else { return false }
        if ["classes", "aggregate"].contains(first), names.count > 1 {
            return !["_user", "_session"].contains(names[1])
        }
        return !own.contains(first)
    }

    /// First segments of paths that never go there, in small letters.
    private static let own: Set<String> = [
        "users", "sessions", "login", "logout", "loginas", "verifypassword", "requestpasswordreset",
        "verificationemailrequest", "upgradetorevocablesession", "challenge", "batch", "health", "apps", "classes",
    ]

    /// Asks for a call whose session is checked, if it has one.
    ///
    /// - Throws: 2 without an answer.
    func respond(to call: ParseCall) async throws -> ParseResponse {
        var headers = forwarded(call)
        if let session = call.caller.session {
            let token = try await mintAccessToken(for: session, audience: nil)
            headers.append(("Authorization", "Bearer \(token.revealed)"))
        }
        headers.append(("X-Forwarded-For", call.client.text))
        headers.append(("Accept", "*/*"))
        // Of a batch it names the whole, and its items would be one another's repetitions.
        if !call.isInBatch, let id = call.requestId {
            headers.append((HTTPField.Name.parseRequestId.rawName, id))
        }
        if call.segments.first == "files", let range = call.request.headers.value(of: .range), Self.isOne(range) {
            headers.append((HTTPField.Name.range.rawName, range))
        }
        let sent = try body(of: call, &headers)
        let (base, path) = (call.caller.options.upstream.first ?? "", try target(of: call))
        let request = UpstreamRequest(
            application: call.application.id, client: call.caller.isMaster ? nil : call.client,
            isClientForwarded: call.hasForwardedClient, isHeld: call.isInBatch,
            // Nothing is sent back for HEAD but the head.
            method: sent.method == .head ? "GET" : sent.method.rawValue, url: base + path,
            headers: headers.filter { header in header.value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f } },
            body: sent.body)
        // A redirection would lead the app's users from this server's address to anywhere.
        guard let response = try await ask(request), !(300...399).contains(response.status) || response.status == 304
        else {
            throw ParseFault.unavailable
        }
        return try await ParseResponse(response, isWhole: call.isInBatch)
    }

    /// Whether one part of a file is asked for, as by players of films. Of several there could be more than the file has.
    private static func isOne(_ range: String) -> Bool {
        range.utf8.count <= 100 && !range.utf8.contains(UInt8(ascii: ","))
    }

    /// The path behind the prefix, as it was sent.
    ///
    /// - Throws: for any other beginning, which could become a part of the server's name.
    private func target(of call: ParseCall) throws(ParseFault) -> String {
        guard !call.isInBatch else { return "/" + call.segments.joined(separator: "/") }
        let path = call.request.head.path ?? ""
        guard path.utf8.starts(with: "\(call.prefix)/".utf8) else { throw .unavailable }
        return String(path.dropFirst(call.prefix.count))
    }

    /// Who the app is, and the device. A master key goes on only from where it counts here.
    private func forwarded(_ call: ParseCall) -> [(name: String, value: String)] {
        guard !call.isEnvelope || call.isInBatch else { return [] }
        let credentials = call.credentials
        var headers: [(name: String, value: String)] = []
        func add(_ name: HTTPField.Name, _ value: String?) {
            if let value { headers.append((name.rawName, value)) }
        }
        add(.parseApplicationId, credentials.applicationId)
        add(.parseRestKey, credentials.keys[.restKey])
        add(.parseJavascriptKey, credentials.keys[.javascriptKey])
        add(.parseClientKey, credentials.keys[.clientKey])
        add(.parseWindowsKey, credentials.keys[.dotNetKey])
        if call.caller.isMaster { add(.parseMasterKey, credentials.masterKey) }
        add(.parseInstallationId, credentials.device.installation)
        add(.parseClientVersion, credentials.device.model)
        add(.parseSystemVersion, credentials.device.system)
        add(.parseAppVersion, credentials.device.appVersion)
        add(.parseCloudContext, call.request.headers.value(of: .parseCloudContext))
        return headers
    }

    private func body(
        of call: ParseCall, _ headers: inout [(name: String, value: String)]
    ) throws -> (method: HTTPRequest.Method, body: UpstreamRequest.Body) {
        if call.isInBatch {
            headers.append(("Content-Type", "application/json"))
            var members = call.body.merging(call.query) { member, _ in member }
            members["_method"] = .string(call.method.rawValue)
            return (.post, .bytes(Array(try JSONBytes.buffer(of: JSONValue.object(members)).readableBytesView)))
        }
        if let type = call.request.headers.value(of: .contentType) { headers.append(("Content-Type", type)) }
        guard call.hasUnreadBody else { return (call.request.method, .bytes(try known(call))) }
        let (request, context, readBody) = (call.request, call.context, call.requests.readBody)
        let byteCount = request.headers.value(of: .contentLength).flatMap { Int($0, radix: 10) }
        return (
            request.method,
            .pieces(byteCount: byteCount) { take in
                try await readBody.pieces(of: request, context, maximumBytes: Self.maximumUploadBytes, take)
            }
        )
    }

    /// The longest body that is passed on.
    private static let maximumUploadBytes = 64 * 1024 * 1024

    /// A body that was read, without what the other server must not see.
    private func known(_ call: ParseCall) throws -> [UInt8] {
        guard call.isEnvelope else { return call.sent }
        // Read as it was before: what could not be read here, such as half an emoji, went on with the token.
        guard case .object(var members) = try JSONReader.value(ofOldSDK: call.sent) else { throw ParseFault.notJSON }
        members["_SessionToken"] = nil
        if !call.caller.isMaster { members["_MasterKey"] = nil }
        return Array(try JSONBytes.buffer(of: JSONValue.object(members)).readableBytesView)
    }
}

extension ParseResponse {
    /// What another server answered. Nothing of it acts as a page of this one.
    ///
    /// - Parameters:
    ///   - response: What it answered.
    ///   - isWhole: Whether all of it is read, as an item of a batch is.
    /// - Throws: `searchTooLarge`, `ParseFault.unavailable` when the other server breaks off.
    fileprivate init(_ response: UpstreamResponse, isWhole: Bool) async throws {
        var headers: HTTPFields = [:]
        for name in [HTTPField.Name.location, .retryAfter, .contentRange, .acceptRanges, .jobStatusId, .pushStatusId] {
            if let value = response.headers[name.canonicalName] { headers[name] = value }
        }
        headers[.contentSecurityPolicy] = "sandbox; default-src 'none'"
        let type = response.headers["content-type"] ?? "application/json; charset=utf-8"
        let kinds = ["image/", "audio/", "video/", "text/plain"]
        if !type.lowercased().hasPrefix("application/json") {
            headers[.contentType] =
                kinds.contains(where: type.lowercased().hasPrefix) && type.lowercased().firstRange(of: "svg") == nil
                ? type : "application/octet-stream"
        }
        let status = (200...599).contains(response.status) ? response.status : 503
        // Chunks go before a length that stands beside them (RFC 9112 §6.3).
        let length = response.headers["transfer-encoding"] == nil ? response.headers["content-length"] : nil
        let announced = length.flatMap { Int($0, radix: 10) }
        let body: Body
        if [204, 205, 304].contains(status) || announced == 0 {
            body = .bytes(ByteBuffer())
        } else if isWhole {
            body = .value(try await Self.whole(response))
        } else {
            body = .pieces(byteCount: announced.flatMap { $0 > 0 ? $0 : nil }, response.next)
        }
        self.init(body, status: .init(code: status), headers: headers)
    }

    /// The longest response that is held.
    private static let maximumHeldBytes = 1 << 20

    /// What another server answers with is read into values, which can take fifty times the memory of their text: it has a bound of
    /// its own, beside that of all responses of the batch (decision 0293).
    private static func whole(_ response: UpstreamResponse) async throws -> JSONValue {
        var whole = ByteBuffer()
        while true {
            let piece: ByteBuffer?
            do {
                piece = try await response.next()
            } catch {
                throw ParseFault.unavailable
            }
            guard let piece else { break }
            guard piece.readableBytes <= maximumHeldBytes - whole.readableBytes else {
                throw DomainError.searchTooLarge
            }
            whole.writeImmutableBuffer(piece)
        }
        do throws(JSONSyntaxError) {
            return try JSONReader.value(ofOldSDK: Array(whole.readableBytesView))
        } catch {
            // It may answer with anything.
            guard error != .tooManyValues else { throw DomainError.searchTooLarge }
            return .null
        }
    }
}

extension HTTPField.Name {
    fileprivate static let jobStatusId = HTTPField.Name(known: "X-Parse-Job-Status-Id")
    fileprivate static let pushStatusId = HTTPField.Name(known: "X-Parse-Push-Status-Id")
}

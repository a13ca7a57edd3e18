import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import OutboundServices
import Storage
import Synchronization
import Testing

/// An app's backend, which decides as the test wants.
final class FakeHook: FakeProvider {
    private let state = Mutex(State())

    private struct State: Sendable {
        var requests: [FakeRequest] = []
        var response = FakeResponse(200, ["decision": "allow"])
        var work: (@Sendable () async -> Void)?
    }

    /// What it was asked, in order.
    var requests: [FakeRequest] { state.withLock { $0.requests } }

    /// The bodies of the questions.
    var questions: [JSONValue] {
        get throws { try requests.map { try JSONValue(parsing: $0.body) } }
    }

    func decide(_ response: FakeResponse) { state.withLock { $0.response = response } }

    /// Does something before it responds.
    func work(_ work: @escaping @Sendable () async -> Void) { state.withLock { $0.work = work } }

    func answer(_ request: FakeRequest) async -> FakeResponse {
        let (response, work) = state.withLock { state in
            state.requests.append(request)
            return (state.response, state.work)
        }
        await work?()
        return response
    }
}

/// A server that may ask this machine, and a hook on it.
struct HookWorld: Sendable {
    /// Nobody listens there.
    static let nowhere = "http://127.0.0.3:1024/hooks"

    let world: AdminWorld
    let hook: FakeHook
    let url: String

    var server: TestServer { world.server }

    init(
        application: ApplicationSettings = ApplicationSettings(), store: (any Engine)? = nil
    ) async throws {
        hook = FakeHook()
        url = await FakeHost.address(of: hook)
        world = try await AdminWorld(
            try await TestServer(application: application, store: store, caller: FakeHost.caller), roles: [])
    }

    /// Sets a hook by the admin API.
    ///
    /// - Returns: its secret.
    @discardableResult
    func set(
        _ point: HookPoint, to url: String? = nil, whenDown: Hook.WhenDown = .refuse, _ rest: String = ""
    ) async throws -> Secret {
        // The hook of log-ins has an end.
        let rest = point == .logIn && rest.isEmpty ? #", "until": "2099-01-01T00:00:00.000Z""# : rest
        let answer = try await world.send(
            "owner", .put, world.path("/hooks/\(point.rawValue)"),
            body: """
                {"url": "\(url ?? self.url)", "whenDown": "\(whenDown.rawValue)", "timeoutMilliseconds": 5000\(rest)}
                """)
        #expect(answer.status == 201, "\(answer.text)")
        return Secret(try #require(try answer.json["secret"]?.text))
    }

    /// The application as it is now.
    func application() async throws -> Domain.Application {
        try await server.modules.applications.findApplication(server.application.id)
    }
}

extension FakeRequest {
    /// Whether the signature is one by a secret, as the specification of Standard Webhooks has it.
    func isSigned(by secret: Secret) -> Bool {
        guard let id = headers["webhook-id"], let seconds = headers["webhook-timestamp"].flatMap({ Int64($0) }),
            let signatures = headers["webhook-signature"]
        else { return false }
        let right = EventWebhook.signature(of: String(decoding: body, as: UTF8.self), id: id, at: seconds, secret)
        return signatures.split(separator: " ").contains { String($0) == right }
    }
}

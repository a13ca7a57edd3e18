import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension AdminAPI {
    private static let hook = "applications/{application}/hooks/{hook}"

    /// The addresses that are asked before something happens.
    static let hooks: [AdminRoute] = [
        AdminRoute(.get, "applications/{application}/hooks", .readSettings) { call in
            let application = try call.targetApplication()
            return try call.answer(HooksBody(application.hooks), versionOf: application)
        },
        AdminRoute(.put, hook, .changeHooks) { call in
            let (point, version) = (try call.hookPoint(), try call.versionIfSent())
            let body = try await call.body(HookDraftBody.self)
            let set = try await call.modules.hooks.manage.set(
                point, to: try body.draft(), in: try call.targetApplication().id,
                isCurrent: try call.isCurrent(version), by: try call.auditActor())
            return try call.answer(
                HookSettingsBody(set.hook, secret: set.secret), status: set.secret == nil ? .ok : .created)
        },
        AdminRoute(.delete, hook, .changeHooks) { call in
            try await call.modules.hooks.manage.remove(
                try call.hookPoint(), in: try call.targetApplication().id,
                isCurrent: try call.isCurrent(try call.versionIfSent()), by: try call.auditActor())
            return AdminCall.done
        },
        AdminRoute(.post, "\(hook)/rotate", .changeHooks) { call in
            let (point, attempt) = (try call.hookPoint(), try call.attempt())
            let body = try await call.body(EventSecretRotationBody.self)
            let made = try await call.modules.hooks.manage.rotate(
                point, in: try call.targetApplication().id, overlap: try SecretOverlap(hours: body.overlapHours),
                attempt: attempt, by: try call.auditActor())
            return try call.answer(HookSettingsBody(made.hook, secret: made.secret))
        },
        AdminRoute(.post, "\(hook)/test", .testHook) { call in
            let outcome = try await call.modules.hooks.test(
                try call.hookPoint(), in: try call.targetApplication().id, by: try call.auditActor())
            return try call.answer(HookTestBody(outcome))
        },
    ]
}

extension AdminCall {
    /// - Throws: `administration(notFound)` for what no hook is asked before.
    fileprivate func hookPoint() throws(DomainError) -> HookPoint {
        guard let point = HookPoint(rawValue: try id("hook")) else { throw .administration(.notFound) }
        return point
    }
}

/// What is decided of a hook. What happens while it is down has no standard: nobody but the operator knows.
struct HookDraftBody: Decodable, Sendable {
    private let url: String?
    private let timeoutMilliseconds: Int64?
    private let whenDown: String?
    private let asksGuests: Bool?
    private let isPaused: Bool?
    private let from: WireTime?
    private let until: WireTime?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case url, timeoutMilliseconds, whenDown, asksGuests, isPaused, from, until
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        url = try members.decodeIfPresent(String.self, forKey: .url)
        timeoutMilliseconds = try members.decodeIfPresent(Int64.self, forKey: .timeoutMilliseconds)
        whenDown = try members.decodeIfPresent(String.self, forKey: .whenDown)
        asksGuests = try members.decodeIfPresent(Bool.self, forKey: .asksGuests)
        isPaused = try members.decodeIfPresent(Bool.self, forKey: .isPaused)
        from = try members.decodeIfPresent(WireTime.self, forKey: .from)
        until = try members.decodeIfPresent(WireTime.self, forKey: .until)
    }

    /// - Throws: `fieldsRefused` for what is missing, and for an unknown word.
    func draft() throws(DomainError) -> ManageHooks.Draft {
        let words = Hook.WhenDown.allCases.map(\.rawValue)
        guard let url, let whenDown else {
            let missing = [("url", url), ("whenDown", whenDown)].filter { $0.1 == nil }.map(\.0)
            throw .fieldsRefused(missing.map { ValidationError(field: $0, rule: .required) })
        }
        guard let choice = Hook.WhenDown(rawValue: whenDown) else {
            throw .fieldsRefused([ValidationError(field: "whenDown", rule: .noneOf(words))])
        }
        func time(_ wire: WireTime?) -> Timestamp? { wire.map { Timestamp(milliseconds: $0.millisecondsSince1970) } }
        return ManageHooks.Draft(
            url: url, timeoutMilliseconds: timeoutMilliseconds, whenDown: choice, asksGuests: asksGuests ?? false,
            isPaused: isPaused ?? false, window: Hook.Window(from: time(from), until: time(until)))
    }
}

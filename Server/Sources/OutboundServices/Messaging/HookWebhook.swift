package import Domain
import Foundation
import OkaeriWire

/// Asks an app's backend as webhooks are sent: a `POST` of JSON, signed by the specification of Standard Webhooks.
package struct HookWebhook: HookCarrier {
    /// The longest response that is read.
    package static let maximumResponseBytes = 16 * 1024
    /// Each hook has a time of its own below this. More calls may be under way than `AskHook` makes: those that it gave up
    /// end a moment later.
    package static let limits = CurlStreams.Limits(
        connecting: .seconds(5), silence: .seconds(5), whole: .seconds(5), transfers: AskHook.lanes + 256)
    private static let maximumDepth = 32

    private let clock: any WallClock
    private let call: any WebCaller

    /// - Parameters:
    ///   - clock: The time of signatures.
    ///   - call: Asks public addresses, and those that the operator permits.
    package init(clock: any WallClock, call: any WebCaller) {
        self.clock = clock
        self.call = call
    }

    package func mayAsk(_ url: String) -> Bool { call.mayAsk(url) }

    package func ask(_ request: HookRequest) async -> HookOutcome {
        await post(HookBody(request), to: request.hook, of: request.application, id: request.id, request.secrets)
            .outcome
    }

    package func owner(_ question: OwnerQuestion) async -> OwnerOutcome {
        let (outcome, body) = await post(
            OwnerQuestionBody(question), to: question.hook, of: question.application, id: question.id, question.secrets)
        return Self.owner(outcome, body)
    }

    /// One call, and what came of it.
    private func post(
        _ body: some Encodable, to hook: Hook, of application: Identifier<Application>, id: String, _ secrets: [Secret]
    ) async -> (outcome: HookOutcome, body: [UInt8]) {
        guard var asked = WebCall.signed(body, to: hook.url, id: id, at: clock.now, secrets) else {
            return (.malformed(reason: DeliveryFault.text(.questionNotWritable)), [])
        }
        (asked.timeLimit, asked.application) = (hook.timeout, application)
        do throws(WebFault) {
            let response = try await call(asked)
            return (Self.outcome(status: response.status, response.body), response.body)
        } catch {
            switch error {
            case .addressRefused: return (.silent(reason: DeliveryFault.text(.hookRefused)), [])
            case .unreachable: return (.silent(reason: DeliveryFault.text(.hookSilent)), [])
            case .tooBusy: return (.busy(reason: SharedLanes.full), [])
            }
        }
    }

    /// What a response to the question for an owner means: one that allows must name the user.
    package static func owner(status: Int, _ body: [UInt8]) -> OwnerOutcome {
        owner(outcome(status: status, body), body)
    }

    private static func owner(_ outcome: HookOutcome, _ body: [UInt8]) -> OwnerOutcome {
        switch outcome {
        case .refused(let message): return .refused(message: message)
        case .malformed(let reason): return .malformed(reason: reason)
        case .silent(let reason): return .silent(reason: reason)
        case .busy(let reason): return .busy(reason: reason)
        case .allowed:
            guard let user = JSONMembers(parsing: body)?.text("user"),
                (1...AskHook.maximumIdBytes).contains(user.utf8.count)
            else { return .malformed(reason: DeliveryFault.text(.hookNoUser)) }
            return .owner(Identifier(rawValue: user))
        }
    }

    /// What a response means. A refusal counts whatever else stands beside it; what allows something must be well formed.
    package static func outcome(status: Int, _ body: [UInt8]) -> HookOutcome {
        if status == 204 { return .allowed(fields: [:], claims: [:]) }
        guard status == 200 else { return .malformed(reason: DeliveryFault.text(.hookResponded, String(status))) }
        // What is no JSON is no decision.
        guard body.count <= maximumResponseBytes,
            case .object(let members)? = try? JSONValue(parsing: body, maximumDepth: maximumDepth)
        else { return .malformed(reason: DeliveryFault.text(.hookNoObject, String(maximumResponseBytes))) }
        switch members["decision"] {
        case "refuse"?:
            if case .string(let message)? = members["message"] { return .refused(message: message) }
            return .refused(message: nil)
        case "allow"?:
            guard let fields = object(members["fields"]), let claims = object(members["claims"]) else {
                return .malformed(reason: DeliveryFault.text(.hookMembersNoObjects))
            }
            return .allowed(fields: fields, claims: claims)
        default: return .malformed(reason: DeliveryFault.text(.hookNoDecision))
        }
    }

    private static func object(_ value: JSONValue?) -> [String: JSONValue]? {
        switch value {
        case nil, .null?: [:]
        case .object(let members)?: members
        default: nil
        }
    }
}

extension HookBody {
    fileprivate init(_ request: HookRequest) {
        let subject = request.subject
        var data = Subject(
            application: request.application.rawValue, user: subject.user.rawValue,
            profile: EventBody.Profile(subject.profile), providers: subject.providers)
        data.way = subject.way?.rawValue
        data.vouchedEmail = subject.vouchedEmail.map {
            VouchedEmail(address: $0.address, isVerified: $0.isVerified)
        }
        data.address = subject.address
        data.session = subject.session?.rawValue
        data.audience = subject.audience
        data.claims = subject.claims
        data.logIn = subject.logIn.map {
            LogIn(kind: $0.identifier.kind.rawValue, identifier: $0.identifier.shown, password: $0.password.revealed)
        }
        data.isTest = request.isTest ? true : nil
        self.init(
            id: request.id, type: "hook.\(request.hook.point.rawValue)",
            timestamp: WireTime(millisecondsSince1970: request.at.milliseconds), data: data)
    }
}

extension OwnerQuestionBody {
    fileprivate init(_ question: OwnerQuestion) {
        var data = Subject(
            application: question.application.rawValue, service: question.service, token: question.token.revealed)
        data.address = question.address
        data.isTest = question.isTest ? true : nil
        self.init(
            id: question.id, type: "hook.\(question.hook.point.rawValue)",
            timestamp: WireTime(millisecondsSince1970: question.at.milliseconds), data: data)
    }
}

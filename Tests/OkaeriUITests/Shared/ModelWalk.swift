import Foundation
import OkaeriUI
import OkaeriWire

@testable import Okaeri

/// Everything that can reach a screen beside what a person does: verdicts, responses, failures, the passing of time.
enum ScreenReports {
    static let instant = Date(timeIntervalSince1970: 1_795_220_142)

    static func user(isAnonymous: Bool = true, email: String? = nil, hasPassword: Bool = false) -> User {
        let time = WireTime(millisecondsSince1970: 1_795_220_142_000)
        var user = UserBody(id: "hana", isAnonymous: isAnonymous, createdAt: time, updatedAt: time)
        user.username = isAnonymous ? nil : "hana"
        user.email = email
        user.emailVerified = email != nil
        user.hasPassword = hasPassword
        user.lastLogInAt = time
        return User(user)
    }

    static let session = DeviceSession(
        SessionBody(
            id: "s", isCurrent: false, protocol: "native", createdWith: "automatic",
            createdAt: WireTime(millisecondsSince1970: 0), lastUsedAt: WireTime(millisecondsSince1970: 0),
            expiresAt: WireTime(millisecondsSince1970: 0)))

    static let key = RegisteredDeviceKey(
        DeviceKeyBody(
            thumbprint: "k", isCurrent: false, device: nil, addedAt: WireTime(millisecondsSince1970: 0), lastUsedAt: nil
        ))

    static let notice = Notice(
        NoticeBody(
            id: "n", kind: NoticeBody.deviceAdded, createdAt: WireTime(millisecondsSince1970: 0),
            undoUntil: WireTime(millisecondsSince1970: 0)))

    static let passkey = Passkey(
        PasskeyBody(
            id: "p", name: "Phone", aaguid: "", transports: [], isBackupEligible: true, isBackedUp: true,
            createdAt: WireTime(millisecondsSince1970: 0), lastUsedAt: nil))

    static let challenge = SecondFactorChallenge(
        SecondFactorChallengeBody(
            ticket: "t", factors: ["totp", "recovery-code"], expiresAt: WireTime(millisecondsSince1970: 0)))

    static let offer = TOTPOffer(
        TOTPOfferResponse(
            ticket: "t", secret: "JBSWY3DPEHPK3PXP", link: "otpauth://totp/x",
            expiresAt: WireTime(millisecondsSince1970: 0)))

    static let factor = SecondFactorBody(
        id: "f", name: "Phone", createdAt: WireTime(millisecondsSince1970: 0), lastUsedAt: nil)

    static let codes = RecoveryCodes(["abcde-fgh23", "bcdef-gh234"])

    static let responses: [ScreenResponse] = [
        .totpOffer(offer), .secondFactorAdded(nil), .secondFactorAdded(codes), .recoveryCodes(codes),
        .secondFactorLogIn(
            SecondFactorLogIn(welcome: .returning(user(isAnonymous: false), lastLogIn: instant), recoveryCodes: codes)),
        .secondFactorLogIn(SecondFactorLogIn(welcome: .firstVisit(user(isAnonymous: false)), recoveryCodes: nil)),
        .secondFactors(SecondFactorList(SecondFactorListResponse(factors: [], recoveryCodesLeft: 0))),
        .secondFactors(SecondFactorList(SecondFactorListResponse(factors: [factor], recoveryCodesLeft: 9))),
        .welcome(.firstVisit(user())), .loggedIn(.firstVisit(user()), by: .password),
        .welcome(.returning(user(isAnonymous: false), lastLogIn: instant)),
        .user(user(isAnonymous: false)), .user(user(isAnonymous: false, email: "hana@example.com", hasPassword: true)),
        .codeRequest(LogInCodeRequest(email: "hana@example.com", expiresAt: instant, ticket: "ticket")),
        .done, .sessions([]), .sessions([session]), .deviceKeys([]), .deviceKeys([key]),
        .passkeys([]), .passkeys([passkey]), .passkey(passkey), .passkeyAdded(passkey, user(isAnonymous: false)),
        .transferNotices([]), .transferNotices([notice]), .ended(count: 2), .erasedAt(instant),
        .export(Data("{}".utf8)), .mergeUndone(user()), .mergeUndone(nil),
    ]

    static let errors: [OkaeriError] = [
        .offline, .serverUnavailable(retryAfter: nil), .rateLimited(retryAfter: nil),
        .rateLimited(retryAfter: .seconds(3)), .storageLocked, .notLoggedIn, .sessionEnded, .loggedOutMeanwhile,
        .credentialRefused, .codeRefused, .reauthenticationRequired, .identifierTaken([]),
        .identifierTaken([FieldProblem(field: "username", code: "taken", detail: "taken")]), .alreadyRegistered,
        .userDisabled, .invalidValues([FieldProblem(field: "password", code: "too_short", detail: "short")]),
        .invalidValues([FieldProblem(field: "unknown.member", code: "new_code", detail: "new")]), .sessionUnknown,
        .providerRefused("provider_refused"), .identityTaken, .lastWayIn, .userDeleted(erasedAt: instant),
        .transferCodeRefused, .transferUnconfirmed(until: instant), .undoTooLate, .cancelled,
        .refused(code: "new_word", status: 418, detail: nil),
        .secondFactorRequired(nil), .secondFactorRequired(challenge), .secondFactorEnrolmentRequired(nil),
        .secondFactorEnrolmentRequired(challenge), .secondFactorNotRecent, .secondFactorRefused(.codeInvalid),
        .secondFactorRefused(.ticketInvalid), .secondFactorRefused(.unknown),
        .passkeyRefused(.unknown), .passkeyRefused(.invalid(rule: "origin")),
        .unexpectedResponse(status: 200), .deviceKeyRemoved(reason: nil, at: nil), .mergeRefused,
    ]

    static let verdicts: [Verdict] = [
        .proceed, .stop, .refuse([.username: "no"]), .refuse([.custom("nobody has it"): "no"]), .refuse([:]),
    ]

    static func all(attempt: Int) -> [ScreenReport.Kind] {
        verdicts.map { .verdict($0, attempt: attempt) }
            + responses.map { .response(.success($0), attempt: attempt) }
            + errors.map { .response(.failure($0), attempt: attempt) }
            + [true, false].map { .failureReported(isHandled: $0, attempt: attempt) } + [.woke]
    }

    static let fields: [FieldID] = [
        .username, .email, .phone, .password, .displayName, .code, .token, .transferCode, .confirmation, .rememberMe,
        .custom("town"), .custom("name"), .custom("recoveryCode"), .consent("terms"),
    ]

    static let texts = [
        "", "hana", "hana@example.com", "a long enough secret", "12345678", "ACDE-FGHJ-KMNP-QRTW", "DELETE",
    ]

    static let formEvents: [FormEvent] =
        fields.flatMap { field in texts.map { FormEvent.typed(field, $0) } + [.returned(field), .focused(field)] }
        + fields.flatMap { [.ticked($0, true), .ticked($0, false), .revealed($0, true)] }
        + [.focused(nil), .submit, .dismiss, .disappeared, .appeared, .presenceProved]
}

/// Goes through the states of a screen by chance, and tries every event and every report in each of them.
struct ModelWalk<Model: FormScreen> {
    private(set) var faults: Set<String> = []
    private(set) var pairs = 0
    /// The phases that the walk has been in.
    private(set) var phases: Set<ScreenForm.Phase> = []
    private var model: Model
    private let events: [Model.Event]
    private var random: UInt64

    init(_ model: Model, events: [Model.Event], seed: UInt64) {
        self.model = model
        self.events = events
        random = seed
    }

    private mutating func draw(_ count: Int) -> Int {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((random >> 33) % UInt64(count))
    }

    /// Goes on; a report is as likely as an event, and mostly of the latest attempt.
    mutating func goOn(steps: Int) {
        check(model, "begin") { $0.begin() }
        _ = model.begin()
        for step in 0..<steps {
            if step % 20 == 0 { tryEverything() }
            phases.insert(model.form.phase)
            if draw(2) == 0 {
                let event = events[draw(events.count)]
                _ = model.handle(event)
            } else {
                let reports = ScreenReports.all(attempt: model.form.attempt - (draw(8) == 0 ? 1 : 0))
                _ = model.take(ScreenReport(reports[draw(reports.count)], at: ScreenReports.instant))
            }
        }
    }

    private mutating func tryEverything() {
        for event in events {
            check(model, "\(event)") { $0.handle(event) }
            if model.form.phase == .running {
                var copy = model
                let isAsking = copy.handle(event).contains { $0.isCall || $0.isAsk }
                if isAsking { faults.insert("a running screen asks again for \(event)") }
            }
        }
        for kind in ScreenReports.all(attempt: model.form.attempt) {
            check(model, "\(kind)") { $0.take(ScreenReport(kind, at: ScreenReports.instant)) }
        }
        for kind in ScreenReports.all(attempt: model.form.attempt - 1) {
            if case .woke = kind { continue }
            var copy = model
            let effects = copy.take(ScreenReport(kind, at: ScreenReports.instant))
            if !effects.isEmpty || copy.form != model.form { faults.insert("a late report counts: \(kind)") }
        }
    }

    private mutating func check(_ before: Model, _ name: String, _ step: (inout Model) -> [ScreenEffect]) {
        var after = before
        let effects = step(&after)
        pairs += 1
        func rule(_ text: String, _ holds: Bool) {
            if !holds { faults.insert("\(text): \(name) in \(before.form.phase)") }
        }
        let calls = effects.count(where: \.isCall)
        let asks = effects.count(where: \.isAsk)
        rule("one request or question at a time", calls + asks <= 1)
        rule("a request leaves the screen running", calls == 0 || after.form.phase == .running)
        rule("a question leaves it asking", asks == 0 || after.form.phase == .asking)
        rule("a request counts as an attempt", calls + asks == 0 || after.form.attempt > before.form.attempt)
        rule("attempts never fall", after.form.attempt >= before.form.attempt)
        rule("news comes once", effects.count(where: \.isNews) <= 1)
        // A screen that comes back goes on with what is under way.
        let wasUnderWay = before.form.phase == .running || before.form.phase == .abandoned
        rule("it runs for a request alone", after.form.phase != .running || calls == 1 || wasUnderWay)
        rule(
            "a finished form keeps no secret",
            after.form.phase != .done || before.form.phase == .done || !after.holdsSecret)
        rule("what is printed holds no text", !"\(after.form.fields)".contains("a long enough secret"))
        rule("no text is longer than a field holds", after.form.fields.allSatisfy { $0.text.count <= 4096 })
        rule("the focus is in the form or nowhere new", after.form.focus == before.form.focus || after.canFocus)
    }
}

extension FormScreen {
    fileprivate var holdsSecret: Bool { form.fields.contains { $0.kind.isSecret && !$0.text.isEmpty } }
    /// People and models may ask for any field; a form ignores one that it does not have.
    fileprivate var canFocus: Bool { form.focus.map { ScreenReports.fields.contains($0) } ?? true }
}

extension ScreenEffect {
    fileprivate var isCall: Bool { if case .call = kind { true } else { false } }
    fileprivate var isAsk: Bool { if case .ask = kind { true } else { false } }
    fileprivate var isNews: Bool { if case .succeed = kind { true } else { false } }
}

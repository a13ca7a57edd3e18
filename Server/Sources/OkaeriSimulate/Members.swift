import Domain
import TestWorld

/// Somebody with user name, password and mail address, and perhaps an authenticator app and a passkey.
///
/// Unchecked: a simulation runs on one thread.
final class Member: @unchecked Sendable {
    /// An authenticator app with its recovery codes.
    struct Factor {
        let key: String
        /// Whether the server's answer was seen.
        var isSure: Bool
        /// The latest step of which a code was taken, and the latest of which one may have been.
        var takenStep: Int64
        var lastStep: Int64
        var recoveryCodes: [Secret] = []
    }

    struct Passkey {
        let authenticator: SoftwareAuthenticator
        let userHandle: String
        var isSure: Bool
    }

    /// What was answered as taken, and must be worth nothing afterwards.
    enum Spent {
        case verification(String)
        case logIn(Secret, String)
        case reset(String)
    }

    let name: String
    let address: String
    /// `nil` until a sign-up was answered.
    var person: Person?
    /// Whether a sign-up went unanswered.
    var mayExist = false
    /// One of them is in force.
    var passwords: [String]
    var replacedPassword: String?
    var isVerified = false
    /// Of log-in codes that were ordered.
    var tickets: [Secret] = []
    var spent: [Spent] = []
    var factor: Factor?
    var passkey: Passkey?
    /// An order of a mail that was answered, and how many such mails there were before; `nil` when it may be void.
    var order: (at: Timestamp, tokensBefore: Int)?
    var isBusy = false

    init(_ number: Int, password: String) {
        name = "member-\(number)"
        address = "member-\(number)@example.com"
        passwords = [password]
    }

    var isActive: Bool { person?.standing == .active }
}

/// What members do with their mails and passwords.
extension Simulation {
    static let applicationSettings: ApplicationSettings = {
        var settings = ApplicationSettings()
        settings.secondFactors.mode = .optional
        settings.passkeys.isEnabled = true
        settings.passkeys.domain = SoftwareAuthenticator.domain
        return settings
    }()

    static let client = LogInClient(.native, from: address, origin: origin)

    func newMember() -> Member {
        memberCount += 1
        return Member(memberCount, password: newPassword())
    }

    func drawMember(_ lot: Int, in application: Application) -> Operation? {
        let index = generator.number(below: members.count)
        let member = members[index]
        guard !member.isBusy, member.person?.isBusy != true else { return nil }
        member.isBusy = true
        let run = locked([], [member.person].compactMap { $0 }) { simulation in
            await simulation.act(member, at: index, lot, in: application)
            member.isBusy = false
        }
        return run
    }

    private func act(_ member: Member, at index: Int, _ lot: Int, in application: Application) async {
        guard let person = member.person else { return await signUp(member, in: application) }
        switch lot {
        case ..<184:
            if lot < 180 {
                await actAsOperator(on: person, in: application)
            } else {
                await disable(person, in: application)
            }
            // Mails that were ordered before may be void.
            member.order = nil
            if person.standing == .erased || person.standing == .unsure { members[index] = newMember() }
        case ..<200: await useSession(of: person, in: application)
        case ..<206: await logOut(person, in: application)
        case ..<232: await logIn(member, in: application)
        case ..<248: await useMail(of: member, in: application)
        case ..<262: await order(member, in: application)
        case ..<276:
            await order(member, in: application)
            await deliverMail()
            await useMail(of: member, in: application)
        case ..<282:
            if member.spent.count > 20 { member.spent.removeFirst(10) }
            guard !member.spent.isEmpty else { return }
            await useSpent(generator.pick(member.spent), of: member, in: application)
        case ..<287: await addFactor(member, in: application)
        default: await usePasskey(member, in: application)
        }
    }

    private func signUp(_ member: Member, in application: Application) async {
        let request = SignUp.Request(
            application: application,
            identifiers: NewIdentifiers(username: .set(member.name), email: .set(member.address), rules: .native),
            password: Secret(member.passwords[0]), client: Self.client)
        switch await call("sign up", { try await $0.modules.logIns.signUp(request) }) {
        case .done(let logIn):
            let person = person(logIn.user.id)
            person.username = member.name
            member.person = person
            keep(logIn, of: member)
        case .unknown: member.mayExist = true
        case .refused(let error):
            guard member.mayExist, error.code == .identifiersTaken else {
                return violate("a sign-up is refused: \(error)")
            }
            let password = Secret(member.passwords[0])
            let outcome = await call("log in") { try await $0.logIn(member.name, password, to: application) }
            guard case .done(let logIn) = outcome else { return }
            let person = person(logIn.user.id)
            person.username = member.name
            member.person = person
            keep(logIn, of: member)
        }
    }

    @discardableResult
    func keep(_ logIn: LogIn, of member: Member) -> OpenSession? {
        guard let person = member.person else { return nil }
        if logIn.user.id != person.id { violate("a log-in leads to another user") }
        if person.standing == .disabled || person.standing == .erased { violate("a user without access logged in") }
        let session = OpenSession(logIn, of: person, on: nil, isBound: false)
        person.sessions.append(session)
        // The oldest of a hundred ends.
        let early = person.sessions.dropLast(80)
        for one in early { one.end(isSure: false) }
        return session
    }

    func deliverMail() async {
        _ = await call("deliver mail", mayLose: false) { try await $0.modules.messaging.deliverMail() }
    }

    /// Orders one of the mails that there are.
    private func order(_ member: Member, in application: Application) async {
        guard let person = member.person else { return }
        let address = member.address
        switch generator.number(below: member.isVerified ? 3 : 2) {
        case 0:
            let (begin, before) = (now, mailServer.tokenCount(of: address))
            let outcome = await call("order a reset") {
                try await $0.modules.messaging.requestPasswordReset(
                    email: address, in: application, languages: [], from: Self.address)
            }
            guard case .done = outcome, member.isVerified, member.isActive else { return }
            member.order = member.order ?? (begin, before)
        case 1:
            guard let session = person.sessions.last, let who = await authenticate(session, in: application) else {
                return
            }
            _ = await call("order a verification") {
                try await $0.modules.messaging.requestEmailVerification(
                    email: nil, by: who, isProven: false, languages: [], from: Self.address)
            }
        default:
            let outcome = await call("order a code") {
                try await $0.modules.messaging.requestLogInCode(
                    email: address, in: application, languages: [], from: Self.address)
            }
            guard case .done(let (ticket, _)) = outcome else { return }
            member.tickets = member.tickets.suffix(2) + [ticket]
        }
    }

    /// Does what a mail is for.
    private func useMail(of member: Member, in application: Application) async {
        guard let mail = mailServer.mail(for: member.address) else { return }
        if let token = mail.token { return await reset(member, token, in: application) }
        guard let code = mail.code else { return }
        guard code.count(where: \.isNumber) == 8 else { return await verify(member, code, in: application) }
        for ticket in member.tickets.reversed() {
            let outcome = await call("log in by code") {
                try await $0.modules.logIns.logInWithCode(
                    .init(application: application, ticket: ticket.revealed, code: code, client: Self.client))
            }
            switch outcome {
            case .done(let logIn):
                if member.factor?.isSure == true { violate("a code alone lets somebody with a second factor in") }
                keep(logIn, of: member)
                member.tickets = []
                await spend(.logIn(ticket, code), of: member, in: application)
                return
            case .unknown: return
            case .refused: break
            }
        }
    }

    private func verify(_ member: Member, _ code: String, in application: Application) async {
        guard let session = member.person?.sessions.last, let who = await authenticate(session, in: application) else {
            return
        }
        member.order = nil
        let outcome = await call("verify") {
            try await $0.modules.accounts.verifyEmail(
                .code(code, by: who), in: application, from: Self.address, origin: Self.origin)
        }
        guard case .done = outcome else { return }
        member.isVerified = true
        await spend(.verification(code), of: member, in: application)
    }

    private func reset(_ member: Member, _ token: String, in application: Application) async {
        guard let person = member.person else { return }
        let new = newPassword()
        let request = ResetPassword.Request(
            application: application, token: token, newPassword: Secret(new), address: Self.address,
            origin: Self.origin, rules: .native)
        member.order = nil
        // The factor of who had not proved the address goes with the reset; a lost answer may have proved it.
        if !member.isVerified { member.factor?.isSure = false }
        switch await call("reset the password", { try await $0.modules.accounts.resetPassword(request) }) {
        case .done:
            member.replacedPassword = member.passwords.count == 1 ? member.passwords[0] : nil
            member.passwords = [new]
            member.isVerified = true
            (member.passkey, member.tickets) = (nil, [])
            bury(person.end(isSure: true))
            await spend(.reset(token), of: member, in: application)
        case .unknown:
            member.passwords.append(new)
            member.passkey?.isSure = false
            _ = person.end(isSure: false)
        case .refused(let error):
            let isAllowed = [.codeRefused, .rateLimited, .userDisabled, .userDeleted].contains(error.code)
            if !isAllowed { violate("a reset is refused: \(error)") }
        }
    }

    /// What was used is worth nothing.
    private func spend(_ spent: Member.Spent, of member: Member, in application: Application) async {
        member.spent.append(spent)
        if generator.isOne(in: 3) { await useSpent(spent, of: member, in: application) }
    }

    private func useSpent(_ spent: Member.Spent, of member: Member, in application: Application) async {
        let outcome: Outcome<Void>
        switch spent {
        case .verification(let code):
            guard let session = member.person?.sessions.last,
                let who = await authenticate(session, in: application)
            else { return }
            outcome = await call("use a used verification") {
                try await $0.modules.accounts.verifyEmail(
                    .code(code, by: who), in: application, from: Self.address, origin: Self.origin)
            }
        case .logIn(let ticket, let code):
            outcome = await call("use a used code") {
                _ = try await $0.modules.logIns.logInWithCode(
                    .init(application: application, ticket: ticket.revealed, code: code, client: Self.client))
            }
        case .reset(let token):
            let request = ResetPassword.Request(
                application: application, token: token, newPassword: Secret(newPassword()), address: Self.address,
                origin: Self.origin, rules: .native)
            outcome = await call("use a used token") { try await $0.modules.accounts.resetPassword(request) }
        }
        switch outcome {
        case .done: violate("a used code of a mail works again")
        case .refused(let error):
            let isAllowed = [.codeRefused, .rateLimited].contains(error.code)
            if !isAllowed { violate("a used code is refused otherwise: \(error)") }
        case .unknown: break
        }
    }
}

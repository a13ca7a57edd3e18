import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// What happens to both users when a code is redeemed, and until when.
@Suite("A transfer code that is redeemed")
struct TransferUseTests {
    private static let day = 86_400_000
    private let world: TestWorld
    private let application: Application
    private let old = TestDevice()
    private let phone = TestDevice()

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        var settings = ApplicationSettings()
        settings.transferLink = "app://join?code={code}&x={code}"
        application = try await world.makeApplication(settings: settings)
    }

    private func owner() async throws -> Authenticated {
        let logIn = try await world.logIn(old, to: application)
        return try await world.authenticate(logIn.token, in: application)
    }

    private func issue(_ who: Authenticated) async throws -> IssueTransferCode.Issued {
        try await world.modules.transfers.issueTransferCode(by: who, isProven: false, from: .local)
    }

    private func redeem(
        _ code: Secret, on device: TestDevice, name: String? = nil
    ) async throws -> RedeemTransferCode.Redeemed {
        try await world.modules.transfers.redeemTransferCode(
            .init(
                application: application, code: code.revealed, proof: try device.presented(at: world.clock.now),
                device: DeviceDescription(name: name), address: TestWorld.address, origin: .local))
    }

    private func details(_ action: AuditEntry.Action) async throws -> [[String: String]] {
        try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: action)
        ).map(\.details)
    }

    private let redeemed = AccountChange.transferCodeRedeemed.policy.action

    @Test("is good for a day, to the millisecond", arguments: [(day - 1, true), (day, false)])
    func end(after: Int, isGood: Bool) async throws {
        let code = try await issue(try await owner())
        #expect(code.expiresAt == world.clock.now + .days(1))
        world.clock.advance(by: .milliseconds(after))
        let refused = await world.refusal { _ = try await redeem(code.code, on: phone) }
        #expect(refused == (isGood ? nil : .transferCodeRefused))
    }

    @Test(
        "works once more for the same device alone, for a day", arguments: [(0, true), (day - 1, true), (day, false)])
    func again(after: Int, isGood: Bool) async throws {
        let code = try await issue(try await owner()).code
        let first = try await redeem(code, on: phone)
        world.clock.advance(by: .milliseconds(after))
        let other = await world.refusal { _ = try await redeem(code, on: TestDevice()) }
        #expect(other == .transferCodeRefused)
        let refused = await world.refusal {
            let second = try await redeem(code, on: phone)
            #expect(second.logIn.user.id == first.logIn.user.id && second.leftUser == nil)
        }
        #expect(refused == (isGood ? nil : .transferCodeRefused))
    }

    @Test("works no more once it is undone, for the device that it let in")
    func undone() async throws {
        let who = try await owner()
        let code = try await issue(who).code
        let joined = try await redeem(code, on: phone)
        let notice = try #require(try await world.modules.transfers.listNotices(for: who).first)
        try await world.modules.transfers.undoTransfer(notice.id, by: who, from: .local)
        #expect(await world.refusal { _ = try await redeem(code, on: phone) } == .transferCodeRefused)
        #expect(
            await world.refusal { _ = try await world.authenticate(joined.logIn.token, in: application) }
                == .sessionInvalid)
        #expect(try await details(AccountChange.transferUndone.policy.action) == [["transfer": notice.id.rawValue]])
        // Undone again, it is no news: nothing is recorded.
        try await world.modules.transfers.undoTransfer(notice.id, by: who, from: .local)
        #expect(try await details(AccountChange.transferUndone.policy.action).count == 1)
    }

    @Test(
        "works no more for its device while the user is on the way out, or the device's key leads to somebody else",
        arguments: [true, false])
    func elsewhere(isLeaving: Bool) async throws {
        let who = try await owner()
        let code = try await issue(who).code
        _ = try await redeem(code, on: phone)
        let other = try await world.logIn(TestDevice(), to: application).user.id
        let (id, tenant, now, key) = (who.user.id, application.id, world.clock.now, phone.thumbprint)
        func moveKey(from one: Identifier<User>, to another: Identifier<User>) async throws {
            try await world.engine.write { transaction throws(DomainError) in
                _ = try transaction.remove(.device, subject: key, of: one, in: tenant)
                try transaction.insert(
                    Identity(provider: .device, subject: key, linkedAt: now), for: another, in: tenant)
            }
        }
        if isLeaving {
            _ = try await world.modules.deletion.deleteUser(id, in: application, by: .local)
        } else {
            try await moveKey(from: id, to: other)
        }
        #expect(await world.refusal { _ = try await redeem(code, on: phone) } == .transferCodeRefused)
        if isLeaving {
            _ = try await world.modules.deletion.restoreUser(id, in: tenant, by: .local)
        } else {
            try await moveKey(from: other, to: id)
        }
        #expect(try await redeem(code, on: phone).logIn.user.id == id)
    }

    @Test("is recorded with transfer, key and the user that the key leaves")
    func recorded() async throws {
        let who = try await owner()
        let left = try await world.logIn(phone, to: application).user
        let joined = try await redeem(try await issue(who).code, on: phone, name: "電話")
        let notice = try #require(try await world.modules.transfers.listNotices(for: who).first)
        #expect(notice.deviceKey == phone.thumbprint && notice.leftUser == left.id && notice.user == who.user.id)
        #expect(notice.device.name == "電話" && notice.address == TestWorld.address.text)
        #expect(notice.redeemedAt == world.clock.now && notice.undoEnd == world.clock.now + .days(1))
        #expect(
            try await details(redeemed) == [
                ["transfer": notice.id.rawValue, "device-key": phone.thumbprint, "left-user": left.id.rawValue]
            ])
        #expect(joined.leftUser == .init(id: left.id, erasedAt: world.clock.now + .days(7)))
        #expect(joined.logIn.session.method == .transferCode && joined.logIn.session.deviceKey == phone.thumbprint)
        #expect(joined.logIn.user.identities.map(\.subject).sorted() == [old.thumbprint, phone.thumbprint].sorted())
    }

    /// Who has taken away the account at a provider by which they came is there still, and the user is a guest again.
    @Test(
        "lets the key end with no identity of a guest's, unless somebody is there who had one of before",
        arguments: [
            (.automatic, nil, nil), (.automatic, .deviceKey, nil), (.transferCode, .transferCode, nil),
            (.passkey, nil, .transferCode), (.passkey, .passkey, .transferCode),
            // A second device, which took the account away in its own session, and a session in which it was shown.
            (.transferCode, nil, .transferCode), (.automatic, .provider, .transferCode),
        ] as [(Session.LogInMethod, AuthenticationMethods?, Session.LogInMethod?)])
    func joinedBy(
        way: Session.LogInMethod, shown: AuthenticationMethods?, expected: Session.LogInMethod?
    ) async throws {
        let who = try await owner()
        let (tenant, now, id) = (application.id, world.clock.now, who.user.id)
        var other = Identity(provider: .device, subject: "other", linkedAt: now)
        other.joinedBy = way
        var opened = Session(
            id: Identifier(rawValue: "other"), application: tenant, user: id, client: .init(address: nil),
            protocolName: .native, method: way,
            times: .init(createdAt: now, lastUsedAt: now, expiresAt: now + .days(1), authenticatedAt: now))
        opened.methods = shown ?? []
        let (key, session) = (other, opened)
        try await world.engine.write { transaction throws(DomainError) in
            if shown == nil {
                try transaction.insert(key, for: id, in: tenant)
            } else {
                try transaction.insert(
                    session, token: SessionToken.Reference(SecretDigest(of: [1])), attempt: nil, replacing: nil)
            }
        }
        _ = try await redeem(try await issue(who).code, on: phone)
        let joined = try await world.modules.directory.readUser(id, in: tenant).identities
            .first { $0.subject == phone.thumbprint }
        #expect(joined != nil && joined?.joinedBy == expected)
    }

    @Test("by the user's own device is a log-in and nothing else")
    func own() async throws {
        let who = try await owner()
        let joined = try await redeem(try await issue(who).code, on: old)
        #expect(joined.leftUser == nil && joined.logIn.user.id == who.user.id)
        #expect(joined.logIn.user.identities.count == 1)
        #expect(try await details(redeemed) == [[:]])
        #expect(try await world.modules.transfers.listNotices(for: who).isEmpty)
    }

    @Test("leaves a user alone who has a password, and one whose deletion was asked for as it is")
    func left() async throws {
        let who = try await owner()
        _ = try await world.signUp("hana", to: application, with: phone)
        let joined = try await redeem(try await issue(who).code, on: phone)
        #expect(joined.leftUser?.erasedAt == nil && joined.leftUser != nil)
        // The deletion of a guest, asked for earlier, keeps its day.
        let third = TestDevice()
        let guest = try await world.logIn(third, to: application).user
        let end = try await world.modules.deletion.deleteUser(guest.id, in: application, by: .local)
        world.clock.advance(by: .seconds(60))
        let later = try await redeem(try await issue(who).code, on: third)
        #expect(later.leftUser == .init(id: guest.id, erasedAt: end))
    }

    @Test(
        "says the same of the user whom the device leaves when it comes again, of a guest and of somebody with a password",
        arguments: [true, false])
    func leftAgain(isGuest: Bool) async throws {
        let who = try await owner()
        let left =
            isGuest
            ? try await world.logIn(phone, to: application).user
            : try await world.signUp("hana", to: application, with: phone).user
        let end: Timestamp? = isGuest ? world.clock.now + .days(7) : nil
        let code = try await issue(who).code
        for _ in 0..<3 {
            let joined = try await redeem(code, on: phone)
            #expect(joined.leftUser == .init(id: left.id, erasedAt: end) && joined.logIn.user.id == who.user.id)
            world.clock.advance(by: .seconds(60))
        }
    }

    @Test("is one of a user at a time, and none once it is withdrawn")
    func latest() async throws {
        let who = try await owner()
        let (first, second) = (try await issue(who).code, try await issue(who).code)
        #expect(await world.refusal { _ = try await redeem(first, on: phone) } == .transferCodeRefused)
        let withdraw = world.modules.transfers.withdrawTransferCode
        try await withdraw(by: who, from: .local)
        try await withdraw(by: who, from: .local)
        #expect(await world.refusal { _ = try await redeem(second, on: phone) } == .transferCodeRefused)
        #expect(try await details(AccountChange.transferCodeWithdrawn.policy.action) == [[:]])
        #expect(try await details(AccountChange.transferCodeIssued.policy.action) == [[:], [:]])
    }

    @Test("has a link that names it wherever the application's pattern does")
    func link() async throws {
        let code = try await issue(try await owner())
        #expect(code.link?.revealed == "app://join?code=\(code.code.revealed)&x=\(code.code.revealed)")
    }

    @Test("is given to nobody who is disabled or on the way out")
    func refused() async throws {
        let issue = world.modules.transfers.issueTransferCode
        let user = try await world.signUp("hana", to: application).user.id
        #expect(await world.refusal { _ = try await issue(to: user, in: application, by: .local) } == nil)
        try await world.modules.accounts.setUserDisabled(user, in: application, isDisabled: true, by: .local)
        #expect(await world.refusal { _ = try await issue(to: user, in: application, by: .local) } == .sessionInvalid)
        try await world.modules.accounts.setUserDisabled(user, in: application, isDisabled: false, by: .local)
        _ = try await world.modules.deletion.deleteUser(user, in: application, by: .local)
        #expect(await world.refusal { _ = try await issue(to: user, in: application, by: .local) } == .sessionInvalid)
        #expect(
            await world.refusal { _ = try await issue(to: Identifier(rawValue: "x"), in: application, by: .local) }
                == .sessionInvalid)
    }

    @Test("tells of a text that is no code, and of a device's name that is none, together")
    func malformed() async throws {
        let refused = await world.refusal { _ = try await redeem(Secret("nothing"), on: phone, name: "a\nb") }
        #expect(
            refused
                == .fieldsRefused([
                    ValidationError(field: "device.name", rule: .controlCharacter),
                    ValidationError(field: "code", rule: .notATransferCode),
                ]))
    }

    @Test("is a notice until somebody takes note who may, and never to the device that joined")
    func notices() async throws {
        let who = try await owner()
        let joined = try await redeem(try await issue(who).code, on: phone)
        let new = try await world.authenticate(joined.logIn.token, in: application)
        let transfers = world.modules.transfers
        let notice = try #require(try await transfers.listNotices(for: who).first)
        #expect(try await transfers.listNotices(for: new).isEmpty)
        try await transfers.acknowledgeNotice(notice.id, by: new, from: .local)
        try await transfers.acknowledgeNotice(Identifier(rawValue: "other"), by: who, from: .local)
        #expect(try await transfers.listNotices(for: who).count == 1)
        #expect(
            await world.refusal { try await transfers.undoTransfer(notice.id, by: new, from: .local) }
                == .transferUnknown)
        try await transfers.acknowledgeNotice(notice.id, by: who, from: .local)
        #expect(try await transfers.listNotices(for: who).isEmpty)
        // What was taken note of can be undone all the same.
        try await transfers.undoTransfer(notice.id, by: who, from: .local)
        #expect(await world.refusal { _ = try await world.authenticate(joined.logIn.token, in: application) } != nil)
    }

    @Test("can be undone for a day, to the millisecond", arguments: [(day - 1, true), (day, false)])
    func undoEnd(after: Int, isGood: Bool) async throws {
        let who = try await owner()
        _ = try await redeem(try await issue(who).code, on: phone)
        let notice = try #require(try await world.modules.transfers.listNotices(for: who).first)
        world.clock.advance(by: .milliseconds(after))
        let refused = await world.refusal {
            try await world.modules.transfers.undoTransfer(notice.id, by: who, from: .local)
        }
        #expect(refused == (isGood ? nil : .undoTooLate))
    }

    @Test(
        "undone gives the key back, and undoes the deletion that it brought about and no other",
        arguments: [true, false])
    func givenBack(isAskedForElsewhere: Bool) async throws {
        let who = try await owner()
        let left = try await world.logIn(phone, to: application).user
        if isAskedForElsewhere {
            _ = try await world.modules.deletion.deleteUser(left.id, in: application, by: .local)
            world.clock.advance(by: .seconds(1))
        }
        _ = try await redeem(try await issue(who).code, on: phone)
        world.clock.advance(by: .seconds(1))
        let notice = try #require(try await world.modules.transfers.listNotices(for: who).first)
        try await world.modules.transfers.undoTransfer(notice.id, by: who, from: .local)
        let back = try await world.modules.directory.readUser(left.id, in: application.id)
        #expect(back.identities.map(\.subject) == [phone.thumbprint])
        #expect(back.identities.map(\.linkedAt) == [world.clock.now])
        #expect((back.deletionRequestedAt != nil) == isAskedForElsewhere)
    }
}

@Suite("The number of transfer codes")
struct TransferLimitTests {
    @Test("is twenty an hour for a user, and other users have their own")
    func issued() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), hasRateLimits: true)
        let application = try await world.makeApplication()
        let (first, second) = (
            try await world.signUp("hana", to: application).user.id,
            try await world.signUp("mika", to: application).user.id
        )
        let issue = world.modules.transfers.issueTransferCode
        for number in 0..<20 {
            #expect(
                await world.refusal { _ = try await issue(to: first, in: application, by: .local) } == nil, "\(number)")
        }
        #expect(
            await world.refusal { _ = try await issue(to: first, in: application, by: .local) }
                == .rateLimited(retryAfter: .seconds(3600)))
        #expect(await world.refusal { _ = try await issue(to: second, in: application, by: .local) } == nil)
        world.clock.advance(by: .seconds(3600))
        #expect(await world.refusal { _ = try await issue(to: first, in: application, by: .local) } == nil)
    }

    @Test("is twenty an hour for a session, and another session of the user and operators have their own")
    func stolenSession() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), hasRateLimits: true)
        let application = try await world.makeApplication()
        let stolen = try await world.signUp("hana", to: application)
        let own = try await world.logIn("hana", to: application)
        let issue = world.modules.transfers.issueTransferCode
        func refusal(_ logIn: LogIn) async throws -> DomainError? {
            let who = try await world.authenticate(logIn.token, in: application)
            return await world.refusal { _ = try await issue(by: who, isProven: false, from: .local) }
        }
        let full = DomainError.rateLimited(retryAfter: .seconds(3600))
        for number in 0..<120 { #expect(try await refusal(stolen) == (number < 20 ? nil : full), "\(number)") }
        #expect(try await refusal(own) == nil)
        #expect(await world.refusal { _ = try await issue(to: stolen.user.id, in: application, by: .local) } == nil)
    }
}

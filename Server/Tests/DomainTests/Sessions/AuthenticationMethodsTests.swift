import Domain
import StorageSQLite
import TestWorld
import Testing

@Suite("How the owner of a session proved who they are")
struct AuthenticationMethodsTests {
    typealias Methods = AuthenticationMethods

    /// What was proved, `amr` and `acr`.
    private static let table: [(methods: Methods, amr: [String], acr: String)] = [
        ([], [], "0"), (.deviceKey, ["pop"], "0"), (.transferCode, ["otp"], "0"), (.rememberedDevice, ["pop"], "1"),
        (.password, ["pwd"], "1"), (.code, ["otp"], "1"), (.provider, [], "1"),
        ([.deviceKey, .password], ["pop", "pwd"], "1"), ([.password, .code], ["pwd", "otp"], "1"),
        (.timeBasedCode, ["otp"], "1"), ([.deviceKey, .timeBasedCode], ["pop", "otp"], "1"),
        ([.password, .timeBasedCode], ["pwd", "otp", "mfa"], "2"),
        ([.password, .recoveryCode], ["pwd", "otp", "mfa"], "2"),
        ([.provider, .timeBasedCode], ["otp", "mfa"], "2"), ([.code, .timeBasedCode], ["otp", "mfa"], "2"),
        ([.password, .rememberedDevice], ["pop", "pwd", "mfa"], "2"),
        (.passkey, ["pop", "user"], "1"), ([.passkey, .userVerification], ["pop", "user", "mfa"], "phr"),
        ([.passkey, .password], ["pop", "user", "pwd", "mfa"], "phr"), (.userVerification, [], "0"),
        (Methods(rawValue: 1 << 40), [], "0"), (Methods(rawValue: -1 << 63), [], "0"),
    ]

    @Test("is said in the values of RFC 8176, and of how much it proves", arguments: table.indices)
    func values(index: Int) {
        let row = Self.table[index]
        #expect(row.methods.amr == row.amr)
        #expect(row.methods.assurance.rawValue == row.acr)
    }

    @Test("has levels from the least to the most")
    func order() {
        #expect(Methods.Assurance.allCases.sorted() == [.device, .oneFactor, .twoFactors, .phishingResistant])
        #expect(Methods.Assurance.oneFactor < .twoFactors)
    }

    @Test("proves nothing less when something is added to it")
    func monotone() {
        for one in Self.table {
            for other in Self.table where one.methods != other.methods {
                let both = one.methods.union(other.methods)
                #expect(both.assurance >= max(one.methods.assurance, other.methods.assurance))
                #expect(Set(both.amr).isSuperset(of: one.amr))
            }
        }
    }

    private static let logInMethods: [(Session.LogInMethod, Methods)] = [
        (.automatic, .deviceKey), (.password, .password), (.signUp, .password), (.code, .code),
        (.transferCode, .transferCode), (.passkey, .passkey), (.merge, []), (.importing, []), (.adoption, []),
        (.pages, []), (.keptPages, []), (.init(rawValue: "unheard-of"), []),
    ]

    @Test("is what a way of log-in says by itself, and of the others nothing", arguments: logInMethods.indices)
    func ways(index: Int) {
        #expect(Self.logInMethods[index].0.methods == Self.logInMethods[index].1)
    }

    @Test("is kept with a session, and counts together with what was proved within the last ten minutes")
    func kept() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        let logIn = try await world.logIn(TestDevice(), to: application)
        #expect(logIn.session.methods == .deviceKey)
        var session = logIn.session
        (session.authenticatedAt, session.methods) = (world.clock.now, [.password, .timeBasedCode])
        let (changed, token) = (session, SessionToken.reference(ofNew: logIn.token, for: logIn.user.id, in: .native))
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.updateAuthentication(of: changed, token: token)
        }
        #expect(try await world.authenticate(logIn.token, in: application).session.methods == changed.methods)
        let found = try await world.engine.read { transaction throws(DomainError) in
            try transaction.sessions(of: changed.user, in: application.id)
        }
        #expect(found.map(\.methods) == [changed.methods])
    }
}

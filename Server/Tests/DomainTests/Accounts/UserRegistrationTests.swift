import OkaeriWire
import TestWorld
import Testing

@testable import Domain

/// The pure half: what a request for a new user becomes, in every way there is.
@Suite("A registration")
struct UserRegistrationTests {
    private static let now = StandingClock().now
    private static let id = Identifier<User>(rawValue: "0000000000000001")

    /// Something wrong with a request, and the faults that it has in the words of the ways with a bare profile.
    enum Flaw: CaseIterable, Hashable {
        case username, email, phone, acl, device, displayName, locale, fields, readOnly, missing

        /// In the order in which faults are reported.
        static let inOrder = allCases

        var field: String {
            switch self {
            case .username: "username"
            case .email: "email"
            case .phone: "phone"
            case .acl: "accessList"
            case .device: "device.name"
            case .displayName: "displayName"
            case .locale: "locale"
            case .fields: "fields.deep"
            case .readOnly: "fields.points"
            case .missing: "fields.team"
            }
        }

        var isOfProfile: Bool {
            switch self {
            case .displayName, .locale, .fields, .readOnly, .missing: true
            case .username, .email, .phone, .acl, .device: false
            }
        }
    }

    private static let rules = FieldRules([
        FieldRule(name: "points", writer: .server), FieldRule(name: "team", isRequired: true),
        FieldRule(name: "level", standard: .integer(1)),
    ])

    private static func application(_ rules: FieldRules = rules) -> Application {
        Application(
            id: Identifier(rawValue: "app"), name: "Test", adminKeyDigest: SecretDigest(of: "key".utf8),
            settings: ApplicationSettings(fieldRules: rules), createdAt: now)
    }

    /// A request in which nothing is wrong but some flaws.
    private static func request(
        _ way: RegistrationWay, _ flaws: Set<Flaw> = [], _ rules: FieldRules = rules
    ) -> UserRegistration.Request {
        var profile = UserRegistration.Profile(fields: ["team": .string("red")])
        if flaws.contains(.displayName) { profile.displayName = "a\u{0}" }
        if flaws.contains(.locale) { profile.locale = "not a tag" }
        if flaws.contains(.fields) { profile.fields["deep"] = .string("\u{0}") }
        if flaws.contains(.readOnly) { profile.fields["points"] = .integer(9) }
        if flaws.contains(.missing) { profile.fields["team"] = nil }
        if flaws.contains(.acl) { profile.acl = ACL([.role(String(repeating: "r", count: 200)): .read]) }
        let identifiers = NewIdentifiers(
            username: .set(flaws.contains(.username) ? "a@b" : "hana"),
            email: .set(flaws.contains(.email) ? "no address" : "hana@example.com"),
            phone: .set(flaws.contains(.phone) ? "no number" : "+819012345678"), rules: .native)
        var request = UserRegistration.Request(way, in: application(rules), profile, identifiers: identifiers)
        request.password = Secret("four quiet words")
        if flaws.contains(.device) { request.device = DeviceDescription(name: String(repeating: "n", count: 300)) }
        return request
    }

    private static func faults(_ request: UserRegistration.Request) -> [ValidationError] {
        do {
            _ = try UserRegistration(request, id: id, at: now).judged()
            return []
        } catch {
            return error.validationErrors ?? []
        }
    }

    @Test("takes a request in which nothing is wrong", arguments: RegistrationWay.allCases)
    func nothingWrong(way: RegistrationWay) throws {
        let registration = UserRegistration(Self.request(way), id: Self.id, at: Self.now)
        let password = try registration.judged()
        #expect((password == nil) == (way.password == .none))
        let user = try registration.completed()
        #expect(user.id == Self.id && user.createdAt == Self.now && user.updatedAt == Self.now)
        #expect(user.username == "hana" && user.email == "hana@example.com" && user.phone == "+819012345678")
        #expect(user.emailVerifiedAt == nil && user.phoneVerifiedAt == nil && user.lastLogInAt == nil)
        #expect(user.fields == ["team": .string("red"), "level": .integer(1)])
    }

    @Test(
        "is refused for the same flaw in every way, by the name that the request has for the field",
        arguments: RegistrationWay.allCases, Flaw.allCases)
    func oneFlaw(way: RegistrationWay, flaw: Flaw) {
        let fields = Self.faults(Self.request(way, [flaw])).map(\.field)
        let isAsked = flaw != .missing || way.demandsFields
        #expect(fields == (isAsked ? [flaw.isOfProfile ? way.profilePath + flaw.field : flaw.field] : []))
    }

    @Test("reports all flaws at once, in one order", arguments: RegistrationWay.allCases)
    func allFlaws(way: RegistrationWay) {
        let expected = Flaw.inOrder.filter { $0 != .missing || way.demandsFields }
            .map { $0.isOfProfile ? way.profilePath + $0.field : $0.field }
        #expect(Self.faults(Self.request(way, Set(Flaw.allCases))).map(\.field) == expected)
    }

    @Test("reports exactly the flaws that there are, whatever else is wrong", arguments: 0..<64)
    func flawsAdd(seed: Int) {
        let bytes = CountingRandomness(seed: UInt64(seed)).bytes(Flaw.allCases.count)
        let flaws = zip(Flaw.allCases, bytes).filter { $0.1 % 2 == 0 }.map(\.0)
        for way in RegistrationWay.allCases {
            let alone = flaws.flatMap { Self.faults(Self.request(way, [$0])) }
            #expect(Self.faults(Self.request(way, Set(flaws))) == alone)
            // Judging is pure: a second time says the same.
            #expect(Self.faults(Self.request(way, Set(flaws))) == alone)
        }
    }

    @Test("reports a bad password beside all other flaws", arguments: RegistrationWay.allCases)
    func password(way: RegistrationWay) {
        var request = Self.request(way, [.locale])
        request.password = Secret("short")
        let locale = way.profilePath + "locale"
        #expect(Self.faults(request).map(\.field) == (way.password == .none ? [locale] : [locale, "password"]))
        request.password = nil
        let isDemanded = way.password == .required || way.password == .requiredOfNamed
        #expect(Self.faults(request).map(\.field) == (isDemanded ? [locale, "password"] : [locale]))
    }

    @Test(
        "of somebody without a name has no password, where there may be such", arguments: RegistrationWay.allCases,
        [true, false])
    func nameless(way: RegistrationWay, opensSession: Bool) {
        var request = Self.request(way, [])
        request.identifiers = NewIdentifiers(rules: .native)
        request.opensSession = opensSession
        let with = Self.faults(request).map(\.field)
        request.password = nil
        let without = Self.faults(request).map(\.field)
        switch way.password {
        case .required: #expect(with == [""] && without == ["", "password"])
        case .requiredOfNamed: #expect(with == [""] && without == (opensSession ? [] : ["password"]))
        case .optional, .none: #expect(with.isEmpty && without.isEmpty)
        }
    }

    @Test("demands no fields of an anonymous user, but fills in the defaults", arguments: RegistrationWay.allCases)
    func anonymous(way: RegistrationWay) throws {
        var request = UserRegistration.Request(
            way, in: Self.application(), .init(), identifiers: NewIdentifiers(rules: .native))
        request.identities = [Identity(provider: .device, subject: "key", linkedAt: Self.now)]
        let user = try UserRegistration(request, id: Self.id, at: Self.now).completed()
        #expect(user.isAnonymous && user.fields == ["level": .integer(1)] && user.identities == request.identities)
    }

    @Test("lets the server write what the owner may not", arguments: RegistrationWay.allCases)
    func actor(way: RegistrationWay) throws {
        var request = Self.request(way, [.readOnly])
        request.profile.actor = .server
        #expect(Self.faults(request).isEmpty)
        #expect(try UserRegistration(request, id: Self.id, at: Self.now).completed().fields["points"] == .integer(9))
    }

    @Test("refuses its form for everybody, and the field rules for new users only", arguments: RegistrationWay.allCases)
    func form(way: RegistrationWay) throws {
        try UserRegistration(Self.request(way, [.readOnly, .missing]), id: Self.id, at: Self.now).refuseForm()
        #expect(throws: DomainError.self) {
            try UserRegistration(Self.request(way, [.phone]), id: Self.id, at: Self.now).refuseForm()
        }
    }

    @Test("has one maker in the audit log, or a record elsewhere", arguments: RegistrationWay.allCases)
    func recorded(way: RegistrationWay) {
        let user = User(id: Self.id, application: Self.application().id, createdAt: Self.now, updatedAt: Self.now)
        let (with, without) = (
            way.recordedActor(of: user, hasPassword: true), way.recordedActor(of: user, hasPassword: false)
        )
        switch way {
        case .account: #expect(with == .user(Self.id) && without == nil)
        case .mail, .migration: #expect(with == .unknown && without == .unknown)
        case .signUp, .identities, .provider, .device, .importing, .admin: #expect(with == nil && without == nil)
        }
    }
}

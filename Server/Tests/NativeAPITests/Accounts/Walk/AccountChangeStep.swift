import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

/// One way of making a change of an account: a row of the table, a route or a command, and what a client sends there.
struct AccountChangeStep: Sendable, CustomTestStringConvertible {
    /// Where a change can be asked for. Those of HTTP have the names of the table of routes.
    enum Surface: String, CaseIterable, Sendable {
        case native, admin, pages, dashboard, ncmb, parse, kii, envelope
        /// The commands of the program, by the function that each performs.
        case command
        /// What the server does at its time.
        case time

        static let routed = allCases.filter { $0 != .command && $0 != .time }

        /// Whether its apps have a request by which the owner shows to be there again.
        var canReauthenticate: Bool { self == .native || self == .pages }

        /// Whether users send requests there, and not only operators and the server.
        var isOfUsers: Bool { [.native, .pages, .ncmb, .parse, .kii].contains(self) }
    }

    /// Who sends the request.
    enum Caller: Sendable {
        /// Who may, with all that has to be shown.
        case rightful
        /// The same without what the request has to show.
        case wrong
        /// The same after ten minutes.
        case stale
        /// The account's own user, where operators alone may.
        case owner
        /// Another user of the application.
        case member
        /// Somebody without a session.
        case nobody
    }

    /// A request made ready, and what it must leave.
    struct Asked: Sendable {
        /// Where the route's path has names.
        var path: String?
        var body: String?
        var fields: [String: String] = [:]
        var headers: [(String, String)] = []
        /// The body's type, where it is another one.
        var type = "application/json"
        /// The body without what has to be shown; `nil` when a session shows it.
        var wrong: String?
        /// The fields of a form, likewise.
        var wrongFields: [String: String]?
        /// Whose session it is; the owner's without it.
        var person: Person?
        /// The session at a mobile backend.
        var token: String?
        /// Whether it is sent with the key of operators there.
        var isOperator = false
        /// A new device, which sends a proof along.
        var device: ProofMaker?
        /// Whose account changes; the owner's without it.
        var user: String?
        /// Whether a new user is made.
        var makesUser = false
        /// Whether it needs no session.
        var isOpen = false
        /// Whether it is as good from any other user's session.
        var isForAnyUser = false
        /// Whether what is shown ends within ten minutes.
        var endsSoon = false
        var status = 200
        /// Further rows, where one request makes two changes.
        var also: [AccountChange] = []
        /// Who did it, as the audit log has it; the person of the request without it.
        var actor: AuditEntry.Actor?
        /// The device whose key leads to the account no more.
        var out: ProofMaker?
        /// Sends it, where one request alone is not enough.
        var perform: (@Sendable (Caller) async throws -> Answer)?
    }

    let row: AccountChange
    let surface: Surface
    /// As in the table of routes; of a command, what is typed.
    let route: String
    let ask: @Sendable (EvictionWorld) async throws -> Asked

    var testDescription: String { "\(row.rawValue) by \(surface.rawValue) \(route)" }

    init(
        _ row: AccountChange, _ surface: Surface, _ route: String,
        _ ask: @escaping @Sendable (EvictionWorld) async throws -> Asked
    ) {
        self.row = row
        self.surface = surface
        self.route = route
        self.ask = ask
    }
}

extension AccountChangeStep {
    private var method: String { String(route.prefix { $0 != " " }) }
    private var path: String { String(route.drop { $0 != " " }.dropFirst()) }

    /// Sends the request.
    func send(_ asked: Asked, as caller: Caller, in world: EvictionWorld) async throws -> Answer {
        if let perform = asked.perform { return try await perform(caller) }
        return switch surface {
        case .native: try await sendNative(asked, as: caller, in: world)
        case .admin: try await sendAsAdmin(asked, as: caller, in: world)
        case .pages: try await sendForm(asked, as: caller, in: world)
        case .dashboard: try await sendAdminForm(asked, as: caller, in: world)
        case .ncmb, .parse, .kii, .envelope: try await sendForeign(asked, as: caller, in: world)
        case .command, .time: throw Missing(description: "\(route) is no request")
        }
    }

    private func sendNative(_ asked: Asked, as caller: Caller, in world: EvictionWorld) async throws -> Answer {
        let target = asked.path ?? path
        var headers = asked.headers
        if let device = asked.device {
            headers.append(("DPoP", try device.proof(method, world.server.url(target), at: world.server.clock.now)))
        }
        let sender: Person? =
            switch caller {
            case .nobody: nil
            case .member: try await world.member()
            case .owner: world.owner
            case .rightful, .wrong, .stale: asked.isOpen ? nil : asked.person ?? world.owner
            }
        if let sender { headers.append(("Authorization", "Bearer \(sender.token)")) }
        return try await world.server.send(
            try #require(HTTPRequest.Method(method)), target, headers,
            body: caller == .wrong ? asked.wrong : asked.body)
    }

    private func sendAsAdmin(_ asked: Asked, as caller: Caller, in world: EvictionWorld) async throws -> Answer {
        let who: String? =
            switch caller {
            case .nobody: nil
            case .member: try await world.member().token
            case .owner: world.owner.token
            case .rightful, .wrong, .stale: "owner"
            }
        return try await world.admin.send(
            who, try #require(HTTPRequest.Method(method)), asked.path ?? world.userPath, asked.headers, body: asked.body
        )
    }

    private func sendForm(_ asked: Asked, as caller: Caller, in world: EvictionWorld) async throws -> Answer {
        let browser = Browser(world.server)
        let form: String
        if caller == .nobody || asked.isOpen {
            form = "log-in"
        } else {
            let person = caller == .member ? try await world.member() : asked.person ?? world.owner
            try await browser.open(accountOf: person)
            form = "account"
        }
        let shown = try await browser.get(browser.path(form))
        if caller == .stale { world.server.clock.advance(by: .seconds(700)) }
        let name = String(path.split(separator: "/", maxSplits: 2)[2])
        return try await browser.post(
            browser.path(name), caller == .wrong ? asked.wrongFields ?? [:] : asked.fields, token: shown.token
        ).answer
    }

    /// A form of the page of a user in the dashboard.
    private func sendAdminForm(_ asked: Asked, as caller: Caller, in world: EvictionWorld) async throws -> Answer {
        let browser = Browser(world.server)
        let token: String? =
            switch caller {
            case .nobody: nil
            case .member: try await world.member().token
            case .owner: world.owner.token
            case .rightful, .wrong, .stale: world.admin.tokens["owner"]
            }
        if let token { browser.plant(token, name: "admin") }
        let isAdmin = [.rightful, .wrong, .stale].contains(caller)
        let shown = try await browser.get(isAdmin ? world.userPage : "/dashboard/log-in")
        return try await browser.post(
            try #require(asked.path), asked.fields, token: shown.token
        ).answer
    }

    private func sendForeign(_ asked: Asked, as caller: Caller, in world: EvictionWorld) async throws -> Answer {
        let isOperator = asked.isOperator && [.rightful, .wrong, .stale].contains(caller)
        var token: String?
        switch caller {
        case .nobody: break
        case .owner: token = try await world.ownerToken(surface)
        case .member:
            let name = "taro\(UInt32.random(in: 0...UInt32.max))"
            try #require(try await world.server.signUp(name).status == 201)
            token = try await world.token(surface, name, AccountTests.password)
        case .rightful, .wrong, .stale:
            // An operator's key stands alone.
            token = isOperator && surface == .kii ? try await world.kiiAdministrator() : asked.token
        }
        let (method, target) = (try #require(HTTPRequest.Method(method)), asked.path ?? path)
        let body = caller == .wrong ? asked.wrong : asked.body
        return switch surface {
        case .ncmb: try await world.ncmb(method, target, body, token: token)
        case .parse: try await world.parse(method, target, body, token: token, isMaster: isOperator)
        case .kii: try await world.kii(method, target, body, token: token, type: asked.type)
        default: try await world.server.send(method, target, body: body, isNamed: false)
        }
    }
}

extension EvictionWorld {
    /// The owner's path in the admin API.
    var userPath: String { path(of: owner) }

    /// The owner's page in the dashboard.
    var userPage: String { admin.page("users/\(owner.logIn.user.id)") }

    /// A person's path in the admin API.
    func path(of person: Person) -> String { "applications/\(server.application.id)/users/\(person.logIn.user.id)" }

    /// Another user, logged in.
    func member() async throws -> Person {
        let name = "taro\(UInt32.random(in: 0...UInt32.max))"
        let answer = try await server.signUp(name)
        return Person(server: server, device: ProofMaker(), logIn: try answer.read(LogInResponse.self))
    }

    /// The ticket of somebody who has proved to be the owner too.
    func mergeTicket(of guest: Person) async throws -> String {
        let offered = try await guest.send(
            .post, APIPath.upgrade, body: #"{"username": "hana", "password": "\#(Self.password)"}"#)
        return try #require(try offered.read(Problem.self).merge?.ticket, "\(offered.text)")
    }

    /// A guest whom a device joined by a transfer code, on the device of before.
    func guestWithNotice() async throws -> (person: Person, notice: String) {
        let guest = try await server.person()
        _ = try await server.joined(try await guest.issueCode().code, on: ProofMaker())
        return (guest, try #require(try await guest.notices().first).id)
    }

    /// A merge that can be undone.
    func merge() async throws -> String {
        let guest = try await server.person()
        let body = #"{"ticket": "\#(try await mergeTicket(of: guest))", "choice": "merge"}"#
        let merged = try await guest.send(.post, APIPath.merge, body: body)
        return try #require(try merged.read(MergeResponse.self).merge, "\(merged.text)")
    }

    /// The token of a mail that verifies an address.
    func verification(of address: String, by person: Person) async throws -> String {
        _ = try await person.send(.post, APIPath.requestEmailVerification, body: #"{"email": "\#(address)"}"#)
        return try await mailedToken(to: address)
    }

    /// The token of the newest mail to an address.
    func mailedToken(to address: String) async throws -> String {
        try #require(try await mails().filter { $0.recipient == address }.compactMap(\.token).first)
    }

    /// The token of a mail to a former address, as after a change by an old app's session, which would end other ways in.
    func recoveryToken() async throws -> String {
        let token = "ABCD-EFGH-JKMN-PQRS-TVWX-YZ01-2345"
        let (id, application) = (Identifier<User>(rawValue: owner.logIn.user.id), server.application.id)
        let (handle, digest) = CodeDigests(key: try TestServer.sealingKey()).digests(
            of: .emailRecovery, in: application, .code, try #require(CodeForm.normal(token)))
        let code = MailedCode(
            application: application, handle: handle, digest: digest, kind: .emailRecovery, user: id,
            address: "former@example.com", replaces: "former@example.com", expiresAt: server.clock.now + .days(7))
        try await server.store.write { transaction throws(DomainError) in try transaction.replaceCode(with: code) }
        return token
    }

    /// The user as the admin API has it now.
    func version() async throws -> [(String, String)] {
        [("If-Match", try #require(try await admin.send("owner", .get, userPath).headers[.eTag]))]
    }

    /// Somebody with an address that nobody has shown to be theirs.
    func unverified() async throws -> Person {
        let guest = try await server.person()
        let body = #"{"email": "mika@example.com", "username": "mika", "password": "four quiet words"}"#
        try #require(try await guest.send(.post, APIPath.upgrade, body: body).status == 200)
        return guest
    }
}

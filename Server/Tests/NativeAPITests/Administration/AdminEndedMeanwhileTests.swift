import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

/// What an admin's request was let in for, and stores when its session has ended: its body may take a minute (decision 0185).
@Suite("A request of an admin whose session ended meanwhile")
struct AdminEndedMeanwhileTests {
    private static let request = CreateAdminKey.Request(
        name: "CI", scopes: [.readUsers], applications: nil, networks: [], life: .days(1))

    /// What makes, changes or ends a way in.
    private enum Way: CaseIterable {
        case passkey, key, networks, link, admin, role, removal
    }

    private func refusal<Attempted>(
        _ work: (Attempted) async throws(DomainError) -> Void, _ attempted: Attempted
    ) async -> DomainError? {
        do throws(DomainError) {
            try await work(attempted)
            return nil
        } catch {
            return error
        }
    }

    /// Who asks with the owner's session, as the beginning of a request finds out.
    private func access(_ world: AdminWorld) async throws -> AdminAccess {
        try await world.server.modules.administration.logIns.findAdmin(
            world.tokens["owner"].map { Secret($0) }, at: nil, from: .local)
    }

    private func registration(_ world: AdminWorld) async throws -> AddPasskey.Registration {
        let made = try await world.registration(SoftwareAuthenticator()).credential
        return AddPasskey.Registration(
            id: made.id,
            clientData: try #require(Domain.Base64URL.bytes(of: made.response.clientDataJSON.utf8)),
            attestationObject: try #require(Domain.Base64URL.bytes(of: made.response.attestationObject.utf8)),
            transports: [], name: nil)
    }

    @Test("gives nobody a way in as an admin: no passkey, key, link, admin or role outlives the reset")
    func reset() async throws {
        let world = try await AdminWorld.atOwnAddress(roles: [.operator])
        let (rules, access) = (world.server.modules.administration, try await access(world))
        let (who, passkey) = (access.auditActor(from: .local), try await registration(world))
        let key = try await rules.keys.create(
            .init(name: "old", scopes: [.readUsers], applications: nil, networks: ["192.0.2.1"], life: .days(1)),
            of: access, by: .local
        ).key
        let admins = try await rules.admins.list()
        let owner = try #require(admins.first { $0.role == .owner })
        let other = try #require(admins.first { $0.role == .operator })
        world.server.clock.advance(by: .seconds(1))
        let link = try await rules.admins.makeLink(for: owner.id, by: .local)
        func attempt(_ way: Way) async throws(DomainError) {
            switch way {
            case .passkey: _ = try await rules.admins.ownPasskeys.add(passkey, to: access, from: .local)
            case .key: _ = try await rules.keys.create(Self.request, of: access, by: who)
            case .networks: _ = try await rules.keys.change(key.id, networks: [], by: who)
            case .link: _ = try await rules.admins.makeLink(for: other.id, by: who)
            case .admin: _ = try await rules.admins.create(name: "evil", role: .owner, applications: nil, by: who)
            case .role: _ = try await rules.admins.change(other.id, .init(role: .owner), version: nil, by: who)
            case .removal: try await rules.admins.remove(other.id, by: who)
            }
        }
        // Between the order of the reset and the use of its link, and after it.
        for way in Way.allCases { #expect(await refusal(attempt, way) == .administration(.adminRequired), "\(way)") }
        _ = try await AdminWorld.setUp(link.token, name: nil, on: world.server)
        for way in Way.allCases { #expect(await refusal(attempt, way) == .administration(.adminRequired), "\(way)") }
        #expect(try await rules.keys.list().isEmpty)
        let after = try await rules.admins.list()
        #expect(after.map(\.id) == admins.map(\.id) && after.map(\.role) == admins.map(\.role))
    }

    @Test("is carried out when the session has another token by then")
    func proven() async throws {
        let world = try await AdminWorld.atOwnAddress(roles: [])
        let (rules, access) = (world.server.modules.administration, try await access(world))
        let passkey = try await registration(world)
        world.server.clock.advance(by: .seconds(60))
        let body = #"{"password": "\#(AdminWorld.password)", "code": "\#(try world.ownerCode)"}"#
        #expect(try await world.send("owner", .post, "reauthenticate", body: body).status == 200)
        _ = try await rules.admins.ownPasskeys.add(passkey, to: access, from: .local)
        let made = try await rules.keys.create(Self.request, of: access, by: access.auditActor(from: .local))
        #expect(try await rules.keys.list().map(\.id) == [made.key.id])
    }

    @Test("links no identity of the provider of admins")
    func signOn() async throws {
        let world = try await SignOnWorld()
        let browser = world.admins.browser()
        let page = try await browser.get("/dashboard/sign-on")
        let leaving = try await browser.post("/dashboard/sign-on", [:], token: page.token)
        let asked = try world.asked(leaving)
        let items = try #require(URLComponents(string: try world.back(asked, subject: "evil"))?.queryItems)
        let state = try #require(items.first { $0.name == "state" }?.value)
        let (cookie, address) = (
            try #require(browser.cookie("__Host-okaeri-admin")), try #require(asked["redirect_uri"])
        )
        let returned = try #require(
            world.rules.logIns.signOn.returned(
                state: state, code: items.first { $0.name == "code" }?.value,
                to: .init(
                    cookie: cookie, redirectURI: address,
                    client: ClientAddress(text: "192.0.2.1", allowanceGroup: "x"), origin: .local)))
        let access = try await access(world.admins)
        let owner = try #require(access.admin)
        _ = try await world.rules.admins.makeLink(for: owner.id, by: .local)
        func link(_ access: AdminAccess) async throws(DomainError) {
            try await world.rules.admins.ownSignOn.link(returned, to: access)
        }
        #expect(await refusal(link, access) == .administration(.adminRequired))
        #expect(try await world.rules.admins.ownSignOn.identity(of: access) == nil)
    }
}

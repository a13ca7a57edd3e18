import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

/// What a sign-up page costs where first launches have budgets. A browser with a script does what this one does by hand.
@Suite("Sign-up pages where first launches have budgets")
struct SignUpWorkTests {
    private struct Demand: Decodable {
        var challenge: String?
        var bits: Int?

        var work: FirstLaunchDemandBody.Work? {
            guard let challenge, let bits else { return nil }
            return .init(challenge: challenge, bits: bits)
        }
    }

    private static func world(
        perAddress: Int = 2, mode: AttestationRules.Mode = .limited, isWorth bits: Int = 10
    ) async throws -> AttestationWorld {
        try await AttestationWorld { rules in
            rules.mode = mode
            rules.unattested = .init(perAddress: perAddress, perApplication: 1000)
            rules.proofOfWorkBits = bits
        }
    }

    private static func form(_ name: String) -> [String: String] {
        ["username": name, "password": SignUpPageTests.password]
    }

    private static func work(of browser: Browser, _ shown: Page) async throws -> FirstLaunchDemandBody.Work? {
        let answer = try await browser.post(browser.path("sign-up/work"), [:], token: shown.token)
        #expect(answer.status == 200)
        return try answer.answer.read(Demand.self).work
    }

    private static func signUp(
        _ name: String, in browser: Browser, with work: FirstLaunchDemandBody.Work?, solution: String? = nil
    ) async throws -> Page {
        var form = form(name)
        if let work {
            form["work_challenge"] = work.challenge
            form["work_bits"] = String(work.bits)
            form["work_solution"] = solution ?? AttestationWorld.solution(of: work)
        }
        let shown = try await browser.get(browser.path("sign-up"))
        return try await browser.post(browser.path("sign-up"), form, token: shown.token)
    }

    /// A sign-up as a browser with scripts does it.
    private static func signUp(_ name: String, in world: AttestationWorld) async throws -> (page: Page, bits: Int?) {
        let browser = Browser(world.server)
        let work = try await work(of: browser, try await browser.get(browser.path("sign-up")))
        return (try await signUp(name, in: browser, with: work), work?.bits)
    }

    @Test("take a form as it is within the budget, and beyond it with work; the form stays filled without")
    func beyond() async throws {
        let world = try await Self.world()
        for name in ["hana", "taro"] {
            let made = try await Self.signUp(name, in: world)
            #expect(made.page.status == 303 && made.bits == nil)
        }
        let browser = Browser(world.server)
        let refused = try await Self.signUp("tomo", in: browser, with: nil)
        #expect(refused.status == 403)
        #expect(refused.html.contains("Allow them, or try again"))
        #expect(refused.value(of: "username") == "tomo")
        #expect(refused.html.contains("data-work=\"\(browser.path("sign-up/work"))\""))
        let work = try #require(try await Self.work(of: browser, refused))
        #expect(work.bits == 10)
        #expect(try await Self.signUp("tomo", in: browser, with: work).status == 303)
    }

    @Test("share the budget with the first launches of devices, up to eight times of it at a rising price")
    func farm() async throws {
        let world = try await Self.world()
        for _ in 0..<2 { #expect(try await world.server.logIn(ProofMaker()).status == 201) }
        var prices: [Int] = []
        for number in 0..<14 {
            let made = try await Self.signUp("robot\(number)", in: world)
            #expect(made.page.status == 303)
            if let bits = made.bits { prices.append(bits) }
        }
        #expect(prices == [10, 10] + [12, 12, 12, 12] + [Int](repeating: 14, count: 8))
        let browser = Browser(world.server)
        let shown = try await browser.get(browser.path("sign-up"))
        #expect(try await browser.post(browser.path("sign-up/work"), [:], token: shown.token).status == 429)
        #expect(try await Self.signUp("last", in: browser, with: nil).status == 429)
        world.server.clock.advance(by: .seconds(3600))
        #expect(try await Self.signUp("last", in: world).page.status == 303)
    }

    @Test("cost work from the first on where apps must attest: browsers cannot")
    func required() async throws {
        let world = try await Self.world(mode: .required)
        #expect(try await Self.signUp("hana", in: Browser(world.server), with: nil).status == 403)
        let made = try await Self.signUp("hana", in: world)
        #expect(made.page.status == 303 && made.bits == 10)
        let without = try await Self.world(mode: .required, isWorth: 0)
        #expect(try await Self.signUp("hana", in: Browser(without.server), with: nil).status == 429)
    }

    @Test("take no work of another browser or of a device, none twice, none that is not done or too old")
    func wrongWork() async throws {
        let world = try await Self.world(perAddress: 1)
        #expect(try await Self.signUp("hana", in: world).page.status == 303)
        let browser = Browser(world.server)
        let work = try #require(try await Self.work(of: browser, try await browser.get(browser.path("sign-up"))))
        #expect(try await Self.signUp("taro", in: Browser(world.server), with: work).status == 403)
        let ofDevice = try #require(try await world.demand(of: ProofMaker(), .proofOfWorkRequired).proofOfWork)
        #expect(try await Self.signUp("taro", in: browser, with: ofDevice).status == 403)
        let wrong = AttestationWorld.solution(of: work, isWrong: true)
        #expect(try await Self.signUp("taro", in: browser, with: work, solution: wrong).status == 403)
        for bits in ["", "x", "-1", "9223372036854775807", "9223372036854775808"] {
            let shown = try await browser.get(browser.path("sign-up"))
            var form = Self.form("taro")
            (form["work_challenge"], form["work_bits"], form["work_solution"]) = (work.challenge, bits, "1")
            #expect(try await browser.post(browser.path("sign-up"), form, token: shown.token).status == 403)
        }
        // A mistake in the form costs nothing; what it was done for is spent with the first that is none.
        let mistake = try await browser.post(
            browser.path("sign-up"), ["username": "", "password": "x"],
            token: try await browser.get(browser.path("sign-up")).token)
        #expect(mistake.status == 422)
        #expect(try await Self.signUp("taro", in: browser, with: work).status == 303)
        let other = Browser(world.server)
        let old = try #require(try await Self.work(of: other, try await other.get(other.path("sign-up"))))
        world.server.clock.advance(by: .seconds(121))
        #expect(try await Self.signUp("tomo", in: other, with: old).status == 403)
    }

    @Test("let work count once when two forms come at once with it")
    func twice() async throws {
        let world = try await Self.world(perAddress: 1)
        #expect(try await Self.signUp("hana", in: world).page.status == 303)
        let browser = Browser(world.server)
        let shown = try await browser.get(browser.path("sign-up"))
        let work = try #require(try await Self.work(of: browser, shown))
        let solution = AttestationWorld.solution(of: work)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<5 {
                group.addTask {
                    var form = Self.form("user\(number)")
                    (form["work_challenge"], form["work_bits"]) = (work.challenge, String(work.bits))
                    form["work_solution"] = solution
                    return try await browser.post(browser.path("sign-up"), form, token: shown.token).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 303 }.count == 1)
        #expect(statuses.allSatisfy { [303, 401, 403, 409, 422].contains($0) })
    }

    @Test("lead into their account when the same form comes again with the work that counted, and no other form does")
    func lostAnswer() async throws {
        let world = try await Self.world(mode: .required)
        let browser = Browser(world.server)
        let shown = try await browser.get(browser.path("sign-up"))
        let work = try #require(try await Self.work(of: browser, shown))
        let (before, solution) = (try #require(browser.session), AttestationWorld.solution(of: work))
        func send(_ name: String) async throws -> Page {
            browser.plant(before)
            var form = Self.form(name)
            (form["work_challenge"], form["work_bits"]) = (work.challenge, String(work.bits))
            form["work_solution"] = solution
            return try await browser.post(browser.path("sign-up"), form, token: shown.token)
        }
        #expect(try await send("hana").status == 303)
        let again = try await send("hana")
        #expect(again.status == 303 && again.location == browser.path("account"), "\(again.html)")
        #expect(try await browser.get(browser.path("account")).status == 200)
        #expect(try await send("taro").status == 409)
    }

    @Test("have no script for it, and ask nothing, where there are no budgets")
    func off() async throws {
        let world = try await Self.world(mode: .off)
        let browser = Browser(world.server)
        let shown = try await browser.get(browser.path("sign-up"))
        #expect(!shown.html.contains("data-work") && !shown.html.contains("work-"))
        #expect(try await Self.work(of: browser, shown) == nil)
        #expect(try await browser.post(browser.path("sign-up/work"), [:]).status == 403)
    }
}

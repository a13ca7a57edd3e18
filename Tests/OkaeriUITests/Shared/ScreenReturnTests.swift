import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import OkaeriWire
import Testing

extension FormScreen {
    /// A response to what was asked last.
    fileprivate mutating func take(_ result: Result<ScreenResponse, OkaeriError>) -> [ScreenEffect] {
        take(ScreenReport(.response(result, attempt: form.attempt), at: ScreenReports.instant))
    }
}

@MainActor
@Suite("Screens that are gone for a while, behind another one or in a tab")
struct ScreenReturnTests {
    let world = UIWorld()
    let user = ScreenReports.user()

    @Test("have the list that came meanwhile, and can be used")
    func list() {
        var model = SessionsModel()
        _ = model.begin()
        _ = model.handle(.form(.disappeared))
        let effects = model.take(.success(.sessions([ScreenReports.session])))
        #expect(effects.isEmpty && model.sessions == [ScreenReports.session] && model.form.isEnabled)
        _ = model.handle(.form(.appeared))
        _ = model.handle(.remove("s"))
        #expect(model.question == .remove(ScreenReports.session))
    }

    @Test("lead on when they are back, once")
    func leadOn() throws {
        var model = try LogInModel(LogInOptions(fields: [.default, .guestButton]))
        _ = model.handle(.guest)
        _ = model.handle(.form(.disappeared))
        let news = model.take(.success(.welcome(.firstVisit(user))))
        #expect(news == [.succeed(.loggedIn(.firstVisit(user), by: .guest))])
        let back = model.handle(.form(.appeared))
        #expect(back == [.show(.home(user))])
        let again = model.handle(.form(.appeared))
        #expect(again.isEmpty)
    }

    @Test("go on with what is still under way")
    func underWay() throws {
        var model = try LogInModel(LogInOptions(fields: [.default, .guestButton]))
        _ = model.handle(.guest)
        _ = model.handle(.form(.disappeared))
        _ = model.handle(.form(.appeared))
        #expect(model.form.isRunning)
        let failure = model.take(.failure(.offline))
        #expect(model.form.banner?.message == .error(.offline) && model.form.isEnabled && !failure.isEmpty)
    }

    @Test("wait no longer than was asked for when the clock is put back")
    func clockPutBack() throws {
        var model = try LogInModel()
        _ = model.handle(.guest)
        _ = model.take(.failure(.rateLimited(retryAfter: .seconds(30))))
        #expect(model.form.pause?.secondsLeft == 30)
        let past = ScreenReports.instant.addingTimeInterval(-86_400)
        _ = model.take(ScreenReport(.woke, at: past))
        #expect(model.form.pause?.secondsLeft == 30 && !model.form.canSubmit)
        _ = model.take(ScreenReport(.woke, at: past.addingTimeInterval(30)))
        #expect(model.form.pause == nil && model.form.canSubmit)
    }

    @Test("show no transfer code that came meanwhile, and make another")
    func transferCode() async throws {
        try await world.client.logInAutomatically()
        let screen = await world.show(TransferCodeModel())
        world.server.hold(path: APIPath.transferCode)
        screen.send(.issue)
        await world.server.waitForRequests(1, to: APIPath.transferCode)
        screen.send(.form(.disappeared))
        world.server.release()
        await screen.settle()
        #expect(screen.model.code == nil && world.heard.outcomes.count == 1)
        screen.send(.form(.appeared))
        screen.send(.issue)
        await screen.settle()
        #expect(screen.model.code != nil)
    }

    @Test("delete no account because they hear of an earlier proof of presence once more")
    func deletion() async throws {
        try await world.client.logInAutomatically()
        let problem = Problem(title: "", status: 403, code: .reauthenticationRequired)
        world.server.fail(.problem(problem), path: APIPath.user)
        let screen = await world.show(DeletionModel(word: "DELETE"))
        screen.send(.form(.typed(.confirmation, "DELETE")))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(world.heard.shown == [.reauthentication(for: .deletion)])
        world.server.fail(.unreachable, path: APIPath.user)
        screen.send(.form(.presenceProved))
        await screen.settle()
        #expect(world.heard.errors == [.offline])
        screen.send(.form(.disappeared))
        screen.send(.form(.appeared))
        screen.send(.form(.presenceProved))
        await screen.settle()
        #expect(screen.model.erasedAt == nil)
        #expect(await world.client.currentUser != nil)
    }

    @Test("do what was wanted after a proof, and look at the list later")
    func wantedFirst() {
        let factors = SecondFactorListResponse(factors: [ScreenReports.factor], recoveryCodesLeft: 9)
        var model = SecondFactorsModel()
        _ = model.begin()
        _ = model.take(.success(.secondFactors(SecondFactorList(factors))))
        _ = model.handle(.replaceCodes)
        let question = model.take(.failure(.reauthenticationRequired))
        #expect(question == [.show(.reauthentication(for: .secondFactors))])
        let list = model.handle(.appeared)
        let wanted = model.handle(.list(.form(.presenceProved)))
        #expect(list.isEmpty && wanted == [ScreenEffect(.call(.replaceRecoveryCodes, attempt: model.form.attempt))])
    }
}

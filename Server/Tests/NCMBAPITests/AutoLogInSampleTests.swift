import Domain
import NCMBAPI
import OkaeriWire
import Testing

/// NCMB's sample of automatic log-in, by its screen. It has no clock: what it saves as the time of a log-in is `updateDate`
/// of the answer (issue 20).
@Suite("The sample of automatic log-in")
struct AutoLogInSampleTests {
    /// The two editions that are in the stores.
    enum Edition: CaseIterable, Sendable {
        /// Shows the saved `lastLoginDate`, then saves `updateDate` as a date.
        case date
        /// Shows `updateDate` itself, then saves it as a text.
        case text
    }

    private struct Launch {
        var screen: String
        /// When the app was let in, by the server's clock.
        var time: String
        /// When it had saved that.
        var saved: String
    }

    private static let device = #"{"userName":"9C1C1B0E-4A4D-4F0B","password":"9C1C1B0E-4A4D-4F0B"}"#

    /// Between two requests of one launch.
    private static let pause = Duration.milliseconds(200)

    /// One launch, with the requests that the app makes and the line that it shows.
    private func launch(_ edition: Edition, at world: NCMBWorld) async throws -> Launch {
        var time = world.timestamp
        var answer = try await world.send("POST", "/2013-09-01/login", body: Self.device)
        var screen = "はじめまして"
        world.clock.advance(by: Self.pause)
        if answer.code == "E401002" {
            time = world.timestamp
            answer = try await world.send("POST", "/2013-09-01/users", body: Self.device)
        } else if case .object(let member) = try answer.json() {
            switch edition {
            case .date:
                guard case .object(let saved)? = member["lastLoginDate"], case .string(let text)? = saved["iso"] else {
                    throw Missing(description: answer.text)
                }
                screen = text
            case .text: screen = try answer.text("updateDate")
            }
        }
        let updateDate = try answer.text("updateDate")
        world.clock.advance(by: Self.pause)
        let saved =
            switch edition {
            case .date: #"{"__type":"Date","iso":"\#(updateDate)"}"#
            case .text: #""\#(updateDate)""#
            }
        let stored = try await world.send(
            "PUT", "/2013-09-01/users/\(try answer.text("objectId"))", body: #"{"lastLoginDate":\#(saved)}"#,
            token: try answer.text("sessionToken"))
        #expect(stored.status == 200, "\(stored.text)")
        return Launch(screen: screen, time: time, saved: world.timestamp)
    }

    /// Ten launches, at odd distances: within a second, over the end of a session, a month later.
    private func launches(_ edition: Edition, at world: NCMBWorld) async throws -> [Launch] {
        var launches: [Launch] = []
        for seconds in [1, 59, 3600, 86_399, 86_401, 7, 600_000, 2_592_000, 61, 3] {
            launches.append(try await launch(edition, at: world))
            world.clock.advance(by: .seconds(seconds))
        }
        return launches
    }

    @Test("shows at each of ten launches the one before, when it saves updateDate as a date")
    func date() async throws {
        let launches = try await launches(.date, at: try await NCMBWorld())
        #expect(launches.map(\.screen) == ["はじめまして"] + launches.dropLast().map(\.time))
    }

    @Test("shows the log-in itself, when it shows updateDate, which a log-in moves as on NCMB")
    func text() async throws {
        let launches = try await launches(.text, at: try await NCMBWorld())
        #expect(launches.map(\.screen) == ["はじめまして"] + launches.dropFirst().map(\.time))
    }

    @Test("shows the launch before in that edition too, where the application says that a log-in moves nothing")
    func unmoved() async throws {
        var settings = ApplicationSettings()
        settings.foreignOptions[.ncmb] = ForeignOptions()
        settings.foreignOptions[.ncmb]?.logInMovesUpdateTime = false
        let launches = try await launches(.text, at: try await NCMBWorld(settings))
        #expect(launches.map(\.screen) == ["はじめまして"] + launches.dropLast().map(\.saved))
    }

    @Test("finds members by the updateDate that they are shown with, and sorts by it")
    func search() async throws {
        let world = try await NCMBWorld()
        let open = #","acl":{"*":{"read":true}}"#
        let first = try await world.signUp("first", open)
        world.clock.advance(by: .seconds(60))
        _ = try await world.signUp("second", open)
        world.clock.advance(by: .seconds(60))
        let logIn = try await world.send(
            "POST", "/2013-09-01/login", body: #"{"userName":"first","password":"secret-1"}"#)
        let time = try logIn.text("updateDate")
        #expect(time == world.timestamp)
        let read = try await world.send("GET", "/2013-09-01/users/\(first.id)")
        #expect(try read.text("updateDate") == time)
        func names(_ query: String) async throws -> [String] {
            let answer = try await world.send("GET", "/2013-09-01/users?\(query)")
            guard case .object(let members) = try answer.json(), case .array(let results)? = members["results"] else {
                throw Missing(description: answer.text)
            }
            return results.compactMap { result in
                guard case .object(let member) = result, case .string(let name)? = member["userName"] else {
                    return nil
                }
                return name
            }
        }
        #expect(try await names("order=-updateDate") == ["first", "second"])
        #expect(try await names("order=updateDate") == ["second", "first"])
        let date = "%7B%22__type%22%3A%22Date%22%2C%22iso%22%3A%22\(time)%22%7D"
        #expect(try await names("where=%7B%22updateDate%22%3A%7B%22%24gte%22%3A\(date)%7D%7D") == ["first"])
        #expect(try await names("where=%7B%22updateDate%22%3A\(date)%7D") == ["first"])
    }
}

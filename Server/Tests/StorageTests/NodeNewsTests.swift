import Domain
import Storage
import Testing

@Suite("The news between nodes")
struct NodeNewsTests {
    private static let second: UInt64 = 1_000_000_000
    private static let start = 10 * second
    private static let limits = NodeNews.Limits()
    private static let change = Change.user(Identifier(rawValue: "app"), Identifier(rawValue: "user"))

    /// A node that listens since `start`, and whose caches are believed from a heartbeat on that is a term later.
    private static func trusted(with others: [String] = []) -> NodeNews {
        var news = NodeNews(name: "own")
        news.connect(at: start)
        let sentAt = start + limits.term
        for other in others { _ = news.take(.heartbeat(nanoseconds: 1), from: other, at: sentAt) }
        _ = news.take(.heartbeat(nanoseconds: sentAt), from: "own", at: sentAt)
        return news
    }

    @Test("gives no trust before a heartbeat came back, nor for one that was sent within a term of the connection")
    func beginning() {
        var news = NodeNews(name: "own")
        #expect(!news.isTrusted(at: Self.start))
        news.connect(at: Self.start)
        #expect(news.notices(telling: [], at: Self.start) == [.heartbeat(nanoseconds: Self.start)])
        for sentAt in [Self.start - 1, Self.start, Self.start + Self.limits.term - 1] {
            _ = news.take(.heartbeat(nanoseconds: sentAt), from: "own", at: Self.start + Self.limits.term)
            #expect(!news.isTrusted(at: Self.start + Self.limits.term))
        }
        // Nobody has sent it yet.
        for sentAt in [Self.start + Self.second, .max] {
            _ = news.take(.heartbeat(nanoseconds: sentAt), from: "own", at: Self.start + Self.limits.term)
            #expect(!news.isTrusted(at: sentAt))
        }
        // Another node's clock is another one.
        _ = news.take(.heartbeat(nanoseconds: .max), from: "other", at: Self.start)
        #expect(!news.isTrusted(at: Self.start))
    }

    @Test("gives trust until a term after the sending of the heartbeat that came back, however late it came")
    func term() {
        let (news, sentAt) = (Self.trusted(), Self.start + Self.limits.term)
        #expect(news.isTrusted(at: sentAt) && news.isTrusted(at: sentAt + Self.limits.term - 1))
        #expect(!news.isTrusted(at: sentAt + Self.limits.term))
    }

    @Test("sends changes before the heartbeat that vouches for them, and the goodbye last")
    func order() {
        var news = NodeNews(name: "own")
        news.connect(at: Self.start)
        #expect(
            news.notices(telling: [Self.change], isLast: true, at: Self.start) == [
                .changes([Self.change]), .heartbeat(nanoseconds: Self.start), .goodbye,
            ])
        #expect(news.notices(telling: [], at: Self.start + 1) == [])
        #expect(news.pause(at: Self.start + 1) == Self.limits.interval - 1)
        #expect(news.pause(at: Self.start + Self.second) == 0)
        #expect(news.notices(telling: [Self.change], at: Self.start + 1) == [.changes([Self.change])])
    }

    @Test("makes caches forget what others changed, and not what the node itself did")
    func changes() {
        var news = Self.trusted()
        let epoch = news.epoch
        #expect(news.take(.changes([Self.change]), from: "other", at: Self.start) == [Self.change])
        #expect(news.take(.changes([Self.change]), from: "own", at: Self.start) == [])
        #expect(news.epoch == epoch)
        #expect(news.take(.anything, from: "own", at: Self.start) == [])
        #expect(news.epoch == epoch)
        #expect(news.take(.anything, from: "other", at: Self.start) == [])
        #expect(news.epoch != epoch, "what is not understood may have been anything")
    }

    @Test("believes nothing in a new connection that was kept in the one before")
    func connection() {
        var news = Self.trusted()
        let epoch = news.epoch
        news.disconnect()
        #expect(!news.isTrusted(at: Self.start + Self.limits.term) && news.epoch != epoch)
        news.connect(at: Self.start + Self.second)
        #expect(!news.isTrusted(at: Self.start + Self.second))
    }

    @Test("ends the trust at the instant at which another node has been silent for too long, until all is forgotten")
    func silence() {
        var news = Self.trusted(with: ["other", "third"])
        let (epoch, heard) = (news.epoch, Self.start + Self.limits.term)
        let end = heard + Self.limits.silence
        // Its own heartbeats go on coming back, and the third node's.
        _ = news.take(.heartbeat(nanoseconds: end - 1), from: "own", at: end)
        _ = news.take(.heartbeat(nanoseconds: 1), from: "third", at: end)
        #expect(news.isTrusted(at: end - 1) && !news.isTrusted(at: end))
        news.checkSilence(at: end)
        #expect(news.isTrusted(at: end) && news.epoch == epoch + 1)
        // A commit that it left behind may still come.
        news.checkSilence(at: end + 1)
        #expect(news.epoch == epoch + 2)
        _ = news.take(.heartbeat(nanoseconds: 1), from: "third", at: heard + Self.limits.aftermath)
        news.checkSilence(at: heard + Self.limits.aftermath)
        let last = news.epoch
        news.checkSilence(at: heard + Self.limits.aftermath + 1)
        #expect(news.epoch == last)
    }

    @Test("takes a node for heard again when its heartbeat comes, and for nothing else", arguments: [true, false])
    func returning(hasHeartbeat: Bool) {
        var news = Self.trusted(with: ["other"])
        let end = Self.start + Self.limits.term + Self.limits.silence
        _ = news.take(.heartbeat(nanoseconds: end - 1), from: "own", at: end - 1)
        // Changes may come in its transactions while what it has to tell waits.
        let notice = hasHeartbeat ? ChangeNotice.heartbeat(nanoseconds: 1) : .changes([Self.change])
        _ = news.take(notice, from: "other", at: end - 1)
        #expect(news.isTrusted(at: end) == hasHeartbeat)
        let epoch = news.epoch
        news.checkSilence(at: end)
        #expect((news.epoch == epoch) == hasHeartbeat)
    }

    @Test("awaits nothing of a node that has said goodbye, nor of a command that changed something")
    func goodbye() {
        var news = Self.trusted(with: ["other"])
        let epoch = news.epoch
        _ = news.take(.goodbye, from: "other", at: Self.start + Self.limits.term)
        _ = news.take(.changes([Self.change]), from: "command", at: Self.start + Self.limits.term)
        let later = Self.start + Self.limits.term + 10 * Self.second
        _ = news.take(.heartbeat(nanoseconds: later), from: "own", at: later)
        news.checkSilence(at: later)
        #expect(news.epoch == epoch && news.isTrusted(at: later))
    }

    @Test(
        "of a commit go with it while the node is not heard, and over its connection when that ends meanwhile",
        arguments: [
            (true, true, CommitNews.announced, false), (true, false, .announced, true), (false, false, .carried, false),
            (false, true, .carried, false),
        ])
    func commits(before: Bool, after: Bool, news: CommitNews, mustBeSent: Bool) {
        #expect(CommitNews(isHeard: before) == news)
        #expect(news.mustBeSent(isHeard: after) == mustBeSent)
    }
}

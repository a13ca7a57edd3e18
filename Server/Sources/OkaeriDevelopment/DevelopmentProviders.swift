import Domain
import FakeProviders
import Logging
import OkaeriServer

/// Plays identity providers beside a server for development, on a loopback port of their own.
struct DevelopmentProviders: ProviderStandIn {
    func run(
        clock: any WallClock, logger: Logger,
        _ body: @escaping @Sendable (_ fakes: FakeAddresses) async throws(StartFault) -> Void
    ) async throws(StartFault) {
        do {
            let server = FakeProviderServer()
            server.add(try FakeApple(clock: clock), named: "apple")
            let home = try HomeFakes(clock: clock)
            home.add(to: server)
            let (addresses, continuation) = AsyncStream<String>.makeStream()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    defer { continuation.finish() }
                    try await server.run(logger: logger) { continuation.yield($0) }
                }
                guard let address = await addresses.first(where: { _ in true }) else {
                    throw StartFault.cannotListen("The fake Apple cannot listen.")
                }
                defer { group.cancelAll() }
                try await body(home.listen(at: address))
            }
        } catch let fault as StartFault {
            throw fault
        } catch {
            throw .cannotListen("The fake Apple cannot be started: \(error)")
        }
    }
}

/// The fakes of Japan and Korea, which take every client id and secret.
private struct HomeFakes {
    private let openID: [String: FakeOpenID]
    private let gameCenter: FakeGameCenter
    private let appAttest: FakeAppAttest
    private let root: [UInt8]

    init(clock: any WallClock) throws {
        let key = try FakeKey.rsa(id: "fake-home-1")
        openID = [
            "line": FakeOpenID(clock: clock, key: FakeKey.p256(id: "fake-line-1"), manner: .line),
            "kakao": FakeOpenID(clock: clock, key: key, manner: .kakao),
            "yahoojapan": FakeOpenID(clock: clock, key: key, manner: .yahooJapan),
        ]
        let certificates = try FakeCertificates(FakeCertificates.Keys(), now: clock.now)
        root = certificates.root
        gameCenter = FakeGameCenter(clock: clock, certificates: certificates)
        appAttest = try FakeAppAttest(clock: clock)
    }

    func add(to server: FakeProviderServer) {
        for (name, fake) in openID { server.add(fake, named: name) }
        server.add(FakeNaver(), named: "naver")
        server.add(gameCenter, named: "gamecenter")
        server.add(appAttest, named: "appattest")
    }

    /// Tells each fake its own address.
    ///
    /// - Returns: where the server finds them.
    func listen(at base: String) -> FakeAddresses {
        let issuers = [
            "line": "https://access.line.me", "kakao": "https://kauth.kakao.com",
            "yahoojapan": "https://auth.login.yahoo.co.jp/yconnect/v2",
        ]
        for (name, fake) in openID { fake.listen(at: "\(base)/\(name)", issuer: issuers[name]) }
        return FakeAddresses(base: base, gameCenterRoot: root, appAttestRoot: appAttest.root)
    }
}

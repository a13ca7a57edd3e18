import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import QRCodes
import StorageSQLite
import Testing

@Suite("A transfer code that leads nowhere")
struct TransferRefusalTests {
    enum Reason: CaseIterable {
        case unknown, used, replaced, withdrawn, over, ofAnotherApplication
    }

    @Test("is refused alike, whatever the reason", arguments: Reason.allCases)
    func uniform(_ reason: Reason) async throws {
        let server = try await TestServer()
        let old = try await server.person()
        var code = try await old.issueCode().code
        switch reason {
        case .unknown: code = TransferCode(TestRandomness()).grouped
        case .used: _ = try await server.joined(code, on: ProofMaker())
        case .replaced: _ = try await old.issueCode()
        case .withdrawn: #expect(try await old.send(.delete, APIPath.transferCode).status == 204)
        case .over: server.clock.advance(by: .days(1))
        case .ofAnotherApplication:
            let elsewhere = try await TestServer(store: server.store, clock: server.clock)
            let answer = try await elsewhere.redeem(code, on: ProofMaker())
            return try check(answer)
        }
        try check(try await server.redeem(code, on: ProofMaker()))
    }

    private func check(_ answer: Answer) throws {
        expect(answer, 403, .transferCodeRefused)
        var problem = try answer.read(Problem.self)
        problem.requestId = nil
        #expect(
            problem
                == Problem(
                    title: "The transfer code leads nowhere.", status: 403,
                    detail: "It was mistyped, used, withdrawn or replaced, or is older than a day.",
                    code: .transferCodeRefused))
    }

    @Test(
        "is called mistyped when it cannot be a code, which counts for nothing",
        arguments: ["", "x", "34AC-DEFG-HJKM-NPQR-TW", "'; DROP TABLE transfer_codes; --", "🦊", "\u{0}"])
    func mistyped(_ text: String) async throws {
        let server = try await TestServer()
        for _ in 0..<25 {
            let answer = try await server.redeem(text, on: ProofMaker())
            expect(answer, 400, .invalidMember)
            #expect(try answer.read(Problem.self).errors?.map(\.code) == ["not_a_transfer_code"])
        }
        let code = try await server.person().issueCode().code
        #expect(try await server.redeem(code, on: ProofMaker()).status == 200)
    }

    @Test(
        "wants a body with a code and nothing else",
        arguments: [
            (nil, ErrorCode.invalidMember), ("{}", .invalidMember), (#"{"code": 5}"#, .invalidMember),
            (#"{"code": "x", "user": {}}"#, .unknownMember), ("[", .malformedBody),
        ])
    func wrongBody(_ body: String?, code: ErrorCode) async throws {
        let server = try await TestServer()
        let proof = try ProofMaker().proof("POST", server.url(APIPath.logInWithTransferCode), at: server.clock.now)
        expect(
            try await server.send(.post, APIPath.logInWithTransferCode, [("DPoP", proof)], body: body), 400, code)
        expect(try await server.send(.post, APIPath.logInWithTransferCode, body: body), 401, .proofRequired)
    }

    @Test("is tried twenty times an hour from one address, then the right code waits too; other addresses do not")
    func limit() async throws {
        let server = try await TestServer()
        let code = try await server.person().issueCode().code
        for _ in 0..<20 {
            let wrong = TransferCode(TestRandomness()).grouped
            expect(try await server.redeem(wrong, on: ProofMaker(), peer: "198.51.100.9"), 403, .transferCodeRefused)
        }
        let refused = try await server.redeem(code, on: ProofMaker(), peer: "198.51.100.9")
        expect(refused, 429, .rateLimited)
        #expect(refused.headers[.retryAfter] == "3600")
        #expect(try await server.redeem(code, on: ProofMaker(), peer: "198.51.100.10").status == 200)
    }

    @Test("is no longer found once its time is over and the server has tidied up")
    func tidied() async throws {
        let server = try await TestServer()
        let old = try await server.person()
        _ = try await old.issueCode()
        server.clock.advance(by: .days(2))
        try await server.modules.sessions.purgeExpired()
        let application = server.application.id
        let user = Identifier<User>(rawValue: old.logIn.user.id)
        let wasThere = try await server.store.write { transaction throws(DomainError) in
            try transaction.removeTransferCode(of: user, in: application)
        }
        #expect(!wasThere)
    }
}

@Suite("A QR code")
struct QRPictureTests {
    @Test("has its three finder patterns, in a border of four light modules")
    func finders() throws {
        let svg = try #require(QRPicture("ACDE-FGHJ-KMNP-QRTW")?.svg)
        let side = try #require(svg.firstMatch(of: /viewBox="0 0 (\d+) \d+"/)?.1).description
        let width = try #require(Int(side)) - 8
        #expect((width - 17) % 4 == 0)
        var dark: Set<[Int]> = []
        for run in svg.matches(of: /M(\d+) (\d+)h(\d+)v1h-\d+z/) {
            let (x, y, count) = (Int(run.1) ?? 0, Int(run.2) ?? 0, Int(run.3) ?? 0)
            for offset in 0..<count { dark.insert([x - 4 + offset, y - 4]) }
        }
        for (left, top) in [(0, 0), (width - 7, 0), (0, width - 7)] {
            for x in 0..<7 {
                for y in 0..<7 {
                    let ring = max(abs(x - 3), abs(y - 3))
                    #expect(dark.contains([left + x, top + y]) == (ring != 2))
                }
            }
        }
        #expect(dark.allSatisfy { $0.allSatisfy { (0..<width).contains($0) } })
    }

    @Test(
        "is not made of nothing, of too much, or of a null character",
        arguments: ["", String(repeating: "x", count: 3000), "a\u{0}b"])
    func refused(_ text: String) {
        #expect(QRPicture(text) == nil)
    }
}

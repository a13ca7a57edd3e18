import TestWorld
import Testing

@testable import Domain

@Suite("An address that gets events")
struct EventEndpointTests {
    private static let now = StandingClock().now
    private static let application = Identifier<Application>(rawValue: "app")

    private struct Carrier: EventCarrier {
        func mayAsk(_ url: String) -> Bool { url.hasPrefix("https://") }
        func deliver(_ request: EventRequest) async -> EventOutcome { .delivered }
    }

    private static func endpoint(_ change: (inout EventEndpoint) -> Void = { _ in }) -> EventEndpoint {
        var endpoint = EventEndpoint(
            id: Identifier(rawValue: "e"), application: application, url: "https://a.example", createdAt: now,
            sealedSecret: [])
        change(&endpoint)
        return endpoint
    }

    @Test("waits twice as long with each failure beyond five, up to five minutes, and no time after a success")
    func brake() {
        var endpoint = Self.endpoint()
        var waits: [Int64] = []
        for _ in 0..<20 {
            endpoint = endpoint.after(success: false, at: Self.now)
            waits.append((endpoint.resumesAt - Self.now).components.seconds)
        }
        #expect(waits == [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256] + Array(repeating: 300, count: 7))
        #expect(endpoint.failures == 20)
        endpoint = endpoint.after(success: true, at: Self.now)
        #expect(endpoint.failures == 0 && endpoint.resumesAt == Self.now)
    }

    @Test("counts failures up to a thousand, and its waits never trap")
    func bounds() {
        var endpoint = Self.endpoint { $0.failures = 998 }
        for _ in 0..<5 { endpoint = endpoint.after(success: false, at: Self.now) }
        #expect(endpoint.failures == 1000 && endpoint.resumesAt == Self.now + .seconds(300))
        #expect(Self.endpoint { $0.failures = .max - 1 }.after(success: false, at: Self.now).failures == 1000)
    }

    @Test("gets the events of its types, and all without any", arguments: EventType.all)
    func types(type: EventType) {
        #expect(Self.endpoint().takes(type))
        #expect(Self.endpoint { $0.types = [type] }.takes(type))
        for other in EventType.all where other != type { #expect(!Self.endpoint { $0.types = [other] }.takes(type)) }
        #expect(Self.endpoint { $0.types = [type] }.faults(Carrier()).isEmpty)
    }

    private static let rows: [(String, @Sendable (inout EventEndpoint) -> Void, [ValidationError])] = [
        ("as it is", { _ in }, []),
        ("http", { $0.url = "http://a.example" }, [ValidationError(field: "url", rule: .notAnAddress)]),
        ("nothing", { $0.url = "" }, [ValidationError(field: "url", rule: .empty)]),
        ("the longest", { $0.url = "https://" + String(repeating: "x", count: 992) }, []),
        (
            "a longer one", { $0.url = "https://" + String(repeating: "x", count: 993) },
            [ValidationError(field: "url", rule: .tooLong(maximumCharacters: 1000))]
        ),
        (
            "an unknown type", { $0.types = [EventType(rawValue: "none")] },
            [ValidationError(field: "types", rule: .notOffered)]
        ),
        ("the most types", { $0.types = Array(repeating: EventType.userCreated, count: 100) }, []),
        (
            "one more", { $0.types = Array(repeating: EventType.userCreated, count: 101) },
            [ValidationError(field: "types", rule: .tooManyFields(maximum: 100))]
        ),
        (
            "all at once",
            {
                $0.url = "ftp://a"
                $0.types = Array(repeating: EventType(rawValue: "none"), count: 101)
            },
            [
                ValidationError(field: "url", rule: .notAnAddress),
                // What is in a list that is too long is not looked at.
                ValidationError(field: "types", rule: .tooManyFields(maximum: 100)),
            ]
        ),
    ]

    @Test("is refused by member and rule", arguments: rows.indices)
    func faults(index: Int) {
        let (name, change, faults) = Self.rows[index]
        #expect(Self.endpoint(change).faults(Carrier()) == faults, "\(name)")
    }

    @Test("signs with the secret that was replaced too, until its time", arguments: [-1, 0, 1], [true, false])
    func secrets(offset: Int64, isHook: Bool) throws {
        let secrets = EventSecrets(key: try .ofTests(), randomness: CountingRandomness())
        let hook = Hook(.signUp, url: "https://a.example", whenDown: .refuse, createdAt: Self.now, sealedSecret: [])
        let purpose =
            isHook
            ? Hook.purpose(hook.point, Self.application)
            : EventSecrets.purpose(Identifier(rawValue: "e"), Self.application)
        let (new, sealed) = try secrets.make(purpose: purpose)
        let (old, sealedOld) = try secrets.make(purpose: purpose)
        #expect(new.revealed.hasPrefix("whsec_") && new.revealed.utf8.count == 6 + 44 && new != old)
        let instant = Self.now + .milliseconds(offset)
        func signing(_ former: [UInt8]?, until: Timestamp?) throws(DomainError) -> [Secret] {
            guard isHook else {
                return try secrets.signing(
                    Self.endpoint { ($0.sealedSecret, $0.sealedFormer, $0.formerUntil) = (sealed, former, until) },
                    at: instant)
            }
            var changed = hook
            (changed.sealedSecret, changed.sealedFormer, changed.formerUntil) = (sealed, former, until)
            return try secrets.signing(changed, of: Self.application, at: instant)
        }
        #expect(try signing(sealedOld, until: Self.now) == (offset < 0 ? [new, old] : [new]))
        #expect(try signing(nil, until: Self.now) == [new] && signing(sealedOld, until: nil) == [new])
        // What was sealed for something else does not open.
        #expect(throws: DomainError.secretUnreadable) {
            try secrets.signing(Self.endpoint { $0.sealedSecret = [1, 2, 3] }, at: instant)
        }
    }
}

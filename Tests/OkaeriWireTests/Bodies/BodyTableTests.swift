import Foundation
import OkaeriWire
import Testing

@Suite("Every body of the API")
struct BodyTableTests {
    private func value(_ data: Data) throws -> JSONValue { try JSONDecoder().decode(JSONValue.self, from: data) }

    @Test("is written as it was read", arguments: BodyTable.requests + BodyTable.responses)
    func roundTrip(body: BodyCase) throws {
        let data = try BodyCase.data(body.members)
        #expect(try body.survives(data))
        #expect(try value(body.rewritten(data)) == .object(body.members))
    }

    @Test("does not depend on members that may be absent", arguments: BodyTable.requests + BodyTable.responses)
    func missing(body: BodyCase) throws {
        for name in body.members.keys {
            var rest = body.members
            rest[name] = nil
            let data = try BodyCase.data(rest)
            if body.required.contains(name) {
                #expect(throws: DecodingError.self, "\(name)") { try body.survives(data) }
            } else {
                #expect(try body.survives(data), "\(name)")
                #expect(try value(body.rewritten(data)) == .object(rest), "\(name)")
            }
        }
    }

    @Test("needs what is required and nothing else", arguments: BodyTable.requests + BodyTable.responses)
    func least(body: BodyCase) throws {
        let least = body.members.filter { body.required.contains($0.key) }
        #expect(try body.survives(BodyCase.data(least)))
        #expect(try value(body.rewritten(BodyCase.data(least))) == .object(least))
    }

    @Test("of a request names a member that it does not know", arguments: BodyTable.requests)
    func unknownInRequests(body: BodyCase) throws {
        for name in ["colour", "Email", "__proto__", "", " ", "花", "zzz\u{0}"] {
            var more = body.members
            more[name] = 1
            let data = try BodyCase.data(more)
            #expect(throws: UnknownMember(path: name)) { try body.survives(data) }
        }
    }

    @Test("of a response may hold members that this version does not know", arguments: BodyTable.responses)
    func unknownInResponses(body: BodyCase) throws {
        var more = body.members
        for name in ["colour", "later", "__proto__", "花"] { more[name] = ["deep": [nil, 1, ["x": true]]] }
        #expect(try body.areEqual(BodyCase.data(more), BodyCase.data(body.members)))
    }

    @Test("takes null for absent where a member may be absent", arguments: BodyTable.requests + BodyTable.responses)
    func null(body: BodyCase) throws {
        for name in body.members.keys {
            var changed = body.members
            changed[name] = .null
            let data = try BodyCase.data(changed)
            if body.required.contains(name) {
                #expect(throws: DecodingError.self, "\(name)") { try body.survives(data) }
            } else {
                #expect(try body.survives(data), "\(name)")
            }
        }
    }

    @Test(
        "refuses values of other types, or reads them the same twice",
        arguments: BodyTable.requests + BodyTable.responses)
    func otherTypes(body: BodyCase) throws {
        let values: [JSONValue] = [
            true, 1, -1, 1.5, "", "text", [], [[]], [:], ["a": 1], .integer(.max), .integer(.min), .number(1e300),
        ]
        for name in body.members.keys {
            for other in values {
                var changed = body.members
                changed[name] = other
                let data = try BodyCase.data(changed)
                do {
                    #expect(try body.survives(data), "\(name): \(other)")
                } catch is DecodingError {
                    continue
                } catch is UnknownMember {
                    // An object instead of another one that is closed.
                    continue
                }
            }
        }
    }

    @Test("is an object", arguments: BodyTable.requests + BodyTable.responses)
    func noObject(body: BodyCase) {
        for text in ["[]", "1", "null", "\"text\"", "true", "", "{", "[{}]"] {
            #expect(throws: (any Error).self, "\(text)") { try body.survives(Data(text.utf8)) }
        }
    }

    private static let times = [
        "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z", "2024-02-29T23:59:60Z",
        "2026-11-21T00:15:42+23:59", "2026-11-21T00:15:42.123456789Z",
    ]
    private static let noTimes = [
        "", "now", "2026-11-21", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "0000-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-00:01", "99999-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "2026-11-21T24:00:00Z",
    ]

    @Test("of a response reads every time that there is, and no other", arguments: BodyTable.responses)
    func times(body: BodyCase) throws {
        for name in body.members.filter({ $0.value == BodyTable.time }).keys {
            for time in Self.times {
                var changed = body.members
                changed[name] = .string(time)
                #expect(try body.survives(BodyCase.data(changed)), "\(name): \(time)")
            }
            for time in Self.noTimes {
                var changed = body.members
                changed[name] = .string(time)
                let data = try BodyCase.data(changed)
                #expect(throws: DecodingError.self, "\(name): \(time)") { try body.survives(data) }
            }
        }
    }

    @Test("keeps every text as it is", arguments: BodyTable.requests + BodyTable.responses)
    func texts(body: BodyCase) throws {
        let texts = ["\u{0}", "\u{202e}abc", "e\u{301}", "é", "👩‍👩‍👧‍👦", "\"\\/\n", String(repeating: "長", count: 5000)]
        for (name, member) in body.members where member != BodyTable.time {
            guard case .string = member else { continue }
            for text in texts {
                var changed = body.members
                changed[name] = .string(text)
                let written = try value(body.rewritten(BodyCase.data(changed)))
                guard case .object(let members) = written, case .string(let read)? = members[name] else {
                    Issue.record("\(name) is no text")
                    continue
                }
                #expect(Array(read.unicodeScalars) == Array(text.unicodeScalars), "\(name)")
            }
        }
    }
}

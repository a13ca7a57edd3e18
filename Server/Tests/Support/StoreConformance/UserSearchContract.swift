import Domain
import Storage
import enum OkaeriWire.JSONValue

extension Contract {
    static let userSearchContracts = [
        Contract("finds users by what apps have stored about them, of the same kind only") { engine in
            let samples = Samples()
            let date: JSONValue = ["__type": "Date", "iso": "2026-01-02T03:04:05.678Z"]
            let users: [(String, [String: JSONValue])] = [
                ("a", ["n": 3, "t": "x", "yes": true, "list": ["x", 1], "o": ["in": "deep"], "d": date]),
                ("b", ["n": 4.5, "t": "y", "yes": false, "list": [], "o": ["in": 1, "more": 2]]),
                ("c", ["n": "3", "t": nil]), ("d", [:]), ("e", ["n": 10, "t": "X", "日本": "語"]),
            ]
            try await insert(users, samples, engine)
            let (n, t, list) = (UserField.custom(["n"]), UserField.custom(["t"]), UserField.custom(["list"]))
            let inner = UserField.custom(["o", "in"])
            let questions: [(UserCondition, [String])] = [
                (.equals(n, .number(3)), ["a"]), (.equals(n, .text("3")), ["c"]),
                (.compares(n, .greater, .number(3)), ["b", "e"]),
                (.compares(n, .lessOrEqual, .number(4.5)), ["a", "b"]),
                (.compares(t, .greaterOrEqual, .text("x")), ["a", "b"]), (.equals(t, .text("X")), ["e"]),
                (.isOneOf(t, [.text("x"), .text("y"), .number(1)]), ["a", "b"]),
                (.equals(list, .text("x")), ["a"]), (.equals(list, .number(1)), ["a"]),
                (.isOneOf(list, [.text("x"), .text("y")]), ["a"]), (.isOneOf(list, [.number(2), .number(1)]), ["a"]),
                (.isOneOf(list, [.text("1"), .truth(true)]), []),
                (.isOneOf(n, [.number(3), .number(10)]), ["a", "e"]),
                (.isOneOf(.custom(["yes"]), [.truth(true), .truth(false), .number(1)]), ["a", "b"]),
                (.isOneOf(.custom(["o"]), [.text("in"), .text("more")]), []),
                (.isOneOf(t, [.null, .text("y"), .text("x\0"), .number(.infinity)]), ["b", "c", "d"]),
                (.not(.isOneOf(t, [.text("x"), .text("y")])), ["c", "d", "e"]), (.isOneOf(t, []), []),
                (.isOneOf(.custom(["d"]), [.time(time), .text("x")]), ["a"]),
                (.all([.equals(list, .text("x")), .equals(list, .number(1))]), ["a"]),
                (.all([.equals(list, .text("x")), .equals(list, .text("1"))]), []),
                (.all([.equals(list, .text("x")), .equals(list, .text("x"))]), ["a"]),
                (.all([.equals(list, .text("x")), .equals(n, .number(3)), .equals(list, .number(1))]), ["a"]),
                (.all([.equals(t, .text("x")), .equals(t, .text("y"))]), []),
                (.all([.equals(t, .text("x")), .equals(t, .text("x")), .exists(n)]), ["a"]),
                (.all([.equals(list, .text("x")), .equals(list, .text("x\0"))]), []),
                (.all([.equals(list, .text("x")), .equals(list, .truth(true)), .equals(list, .number(1))]), []),
                (.equals(list, .text("1")), []), (.equals(list, .structure([])), ["b"]),
                (.equals(inner, .text("deep")), ["a"]), (.equals(inner, .number(1)), ["b"]),
                (.equals(.custom(["o"]), .structure(["more": 2, "in": 1])), ["b"]),
                (.equals(.custom(["yes"]), .truth(true)), ["a"]), (.equals(.custom(["yes"]), .truth(false)), ["b"]),
                (.exists(t), ["a", "b", "e"]), (.equals(t, .null), ["c", "d"]),
                (.not(.equals(t, .text("x"))), ["b", "c", "d", "e"]),
                (.not(.compares(n, .greater, .number(3))), ["a", "c", "d"]),
                (.all([.exists(n), .not(.exists(list))]), ["c", "e"]), (.any([]), []),
                (.any([.equals(n, .number(10)), .equals(inner, .number(1))]), ["b", "e"]),
                (.equals(.custom(["d"]), .time(time)), ["a"]),
                (.compares(.custom(["d"]), .less, .time(time + .seconds(1))), ["a"]),
                (.compares(.custom(["d"]), .greater, .time(time)), []), (.equals(.custom(["日本"]), .text("語")), ["e"]),
                (.equals(.custom(["it's"]), .text("' OR 1=1 --")), []),
                (.compares(.createdAt, .less, .time(samples.now + .milliseconds(2))), ["a", "b"]),
            ]
            for (condition, expected) in questions {
                let found = try await findings(
                    UserSearch(condition: condition, counts: true, reader: .everything), samples, engine)
                try expect(
                    found.users.map(\.displayName) == expected.map(Optional.some) && found.count == expected.count,
                    "\(condition): \(found.users.map(\.displayName)), \(found.count ?? -1)")
            }
        },
        Contract("says of everybody who is found which of the probes hold") { engine in
            let samples = Samples()
            try await insert([("a", ["n": 1, "t": "x"]), ("b", ["n": 2]), ("c", ["t": "y"])], samples, engine)
            let (n, t) = (UserField.custom(["n"]), UserField.custom(["t"]))
            var search = UserSearch(
                condition: .any([.exists(n), .equals(t, .text("y"))]), limit: 2, skip: 1, reader: .everything)
            search.probes = [
                .equals(n, .number(2)), .not(.exists(t)), .compares(t, .greater, .text("x")), .any([]), .all([]),
            ]
            let found = try await findings(search, samples, engine)
            try expectEqual(found.users.map(\.displayName), ["b", "c"])
            try expectEqual(found.probed, [[true, true, false, false, true], [false, false, true, false, true]])
        },
        Contract("keeps values as they are, and finds an object or a list by one that is equal") { engine in
            let samples = Samples()
            try await insert(
                writtenValues.enumerated().map { ("\($0.offset)", ["v": $0.element]) }, samples, engine)
            for (index, value) in writtenValues.enumerated() {
                let found = try await findings(
                    UserSearch(condition: .equals(.custom(["v"]), .structure(value)), reader: .everything), samples,
                    engine
                ).users
                try expectEqual(found.map(\.displayName), ["\(index)"])
                try expectEqual(found.first?.fields, ["v": value])
            }
        },
        Contract("finds users by whole numbers of any size, as they were written") { engine in
            let samples = Samples()
            // Numbers of double precision tell those beyond 2^53 no more from their neighbours.
            let numbers: [Int64] = [
                1, 10_152_345_678_901_234, 10_152_345_678_901_235, 100_000_000_000_000_016, .min, .max - 1, .max,
            ]
            let fields = numbers.map { number -> [String: JSONValue] in
                ["n": .integer(number), "list": [.integer(number), "x"]]
            }
            try await insert(fields.enumerated().map { ("\($0.offset)", $0.element) }, samples, engine)
            let (n, list) = (UserField.custom(["n"]), UserField.custom(["list"]))
            for (index, number) in numbers.enumerated() {
                let conditions: [UserCondition] = [
                    .equals(n, .integer(number)), .isOneOf(n, [.integer(number), .text("x"), .integer(2)]),
                    .equals(list, .integer(number)), .isOneOf(list, [.integer(number), .integer(2)]),
                    .all([.equals(list, .integer(number)), .equals(list, .text("x"))]),
                    .all([
                        .compares(n, .lessOrEqual, .integer(number)), .compares(n, .greaterOrEqual, .integer(number)),
                        .equals(n, .integer(number)),
                    ]),
                ]
                for condition in conditions {
                    let found = try await findings(
                        UserSearch(condition: condition, reader: .everything), samples, engine)
                    try expect(
                        found.users.map(\.displayName) == ["\(index)"],
                        "\(condition): \(found.users.map(\.displayName))")
                }
            }
            // The same number twice is one.
            let twice = UserCondition.all([
                .equals(list, .integer(1)), .equals(list, .number(1)), .equals(list, .text("x")),
            ])
            let found = try await findings(UserSearch(condition: twice, reader: .everything), samples, engine)
            try expectEqual(found.users.map(\.displayName), ["0"])
        },
        Contract(
            "finds texts by pieces, with and without regard to case, and takes nothing of them for more than itself"
        ) {
            engine in
            let samples = Samples()
            let users: [(String, [String: JSONValue])] = [
                ("a", ["t": "Hello world"]), ("b", ["t": "hello%_*?[x]\\"]), ("c", ["t": 5]), ("d", [:]),
                ("e", ["t": "\u{0600}x"]),
            ]
            try await insert(users, samples, engine)
            let questions: [([TextPattern.Piece], Bool, [String])] = [
                ([.text("Hello"), .anything], false, ["a"]), ([.text("hello"), .anything], true, ["a", "b"]),
                ([.anything, .text("w"), .anyCharacter, .text("rld")], false, ["a"]), ([.text("Hello")], false, []),
                ([.anything, .text("%_*?[x]\\")], false, ["b"]), ([.anything, .text("%_*?[X]\\")], true, ["b"]),
                ([.anything, .text("%w"), .anything], true, []), ([.anything, .text("_"), .anything], false, ["b"]),
                ([.anything], false, ["a", "b", "e"]),
                // Signs that are joined with the one before are no characters of their own.
                ([.text("\u{0600}*"), .anything], false, []), ([.text("\u{0600}%"), .anything], true, []),
            ]
            for (pieces, ignoresCase, expected) in questions {
                let pattern = TextPattern(pieces, ignoresCase: ignoresCase)
                let found = try await findings(
                    UserSearch(condition: .matches(.custom(["t"]), pattern), reader: .everything), samples, engine)
                try expect(
                    found.users.map(\.displayName) == expected.map(Optional.some),
                    "\(pattern): \(found.users.map(\.displayName))")
            }
        },
        Contract("finds users by their shown names and their phone numbers, and of those only the reader's own") {
            engine in
            let samples = Samples()
            try await insert([("Anna", [:]), ("Berta", [:])], samples, engine)
            let all = try await findings(UserSearch(reader: .everything), samples, engine).users
            try await engine.write { transaction throws(DomainError) in
                for (index, user) in all.enumerated() {
                    var named = user
                    named.phone = "+81901234567\(index)"
                    try transaction.updateIdentifiers(of: named)
                }
            }
            let questions: [(UserCondition, [String], [String])] = [
                (.equals(.displayName, .text("Anna")), ["Anna"], ["Anna"]),
                (.matches(.displayName, TextPattern([.text("B"), .anything])), ["Berta"], ["Berta"]),
                (.compares(.displayName, .greater, .text("Anna")), ["Berta"], ["Berta"]),
                (.exists(.displayName), ["Anna", "Berta"], ["Anna", "Berta"]),
                (.equals(.phone, .text("+819012345671")), ["Berta"], []),
                (.matches(.phone, TextPattern([.text("+81"), .anything])), ["Anna", "Berta"], ["Anna"]),
                (.compares(.phone, .lessOrEqual, .text("+819012345670")), ["Anna"], ["Anna"]),
                (.exists(.phone), ["Anna", "Berta"], ["Anna"]), (.equals(.phone, .number(1)), [], []),
            ]
            let reader = UserSearch.Reader.user(all[0].id, seesUnlisted: true, seesDisabled: true)
            for (condition, expected, seen) in questions {
                for (reader, names) in [(UserSearch.Reader.everything, expected), (reader, seen)] {
                    let found = try await findings(
                        UserSearch(condition: condition, order: [UserOrder(.displayName)], reader: reader), samples,
                        engine)
                    try expect(
                        found.users.map(\.displayName) == names.map(Optional.some),
                        "\(condition): \(found.users.map(\.displayName))")
                }
            }
        },
        Contract("sorts users by any field, and cuts pages") { engine in
            let samples = Samples()
            let users: [(String, [String: JSONValue])] = [
                ("a", ["v": 10]), ("b", ["v": 9.5]), ("c", ["v": "x"]), ("d", [:]), ("e", ["v": "Z"]),
            ]
            try await insert(users, samples, engine)
            func names(_ search: UserSearch) async throws -> [String?] {
                try await findings(search, samples, engine).users.map(\.displayName)
            }
            let field = UserField.custom(["v"])
            try expectEqual(
                try await names(UserSearch(order: [UserOrder(field)], reader: .everything)), ["d", "e", "c", "b", "a"])
            try expectEqual(
                try await names(UserSearch(order: [UserOrder(field, isDescending: true)], reader: .everything)),
                ["a", "b", "c", "e", "d"])
            try expectEqual(
                try await names(
                    UserSearch(
                        order: [UserOrder(.createdAt, isDescending: true)], limit: 2, skip: 1, reader: .everything)),
                ["d", "c"])
            let none = try await findings(UserSearch(limit: 0, counts: true, reader: .everything), samples, engine)
            try expectEqual(none, UserSearch.Findings(users: [], count: 5))
        },
        Contract("finds exactly those whom the reader may see, whatever their lists and standing") { engine in
            let samples = Samples()
            let (own, other) = (samples.user("own"), samples.user("other", after: 1))
            let lists: [ACL?] = [
                nil, ACL(), ACL([.everybody: [.read]]), ACL([.user(own.id): [.read]]), ACL([.user(own.id): [.write]]),
                ACL([.everybody: [.write], .role("staff"): [.read]]), ACL([.user(other.id): [.read]]),
            ]
            var users = [own, other]
            for (offset, list) in lists.enumerated() {
                for standing in 0..<4 {
                    var user = samples.user("\(offset) \(standing)", after: Int64(10 + users.count))
                    user.acl = list
                    if standing & 1 != 0 { user.disabledAt = samples.now }
                    if standing & 2 != 0 { user.deletionRequestedAt = samples.now }
                    users.append(user)
                }
            }
            users[1].disabledAt = samples.now
            let written = users
            try await engine.write { transaction throws(DomainError) in
                for user in written {
                    try transaction.insert(user)
                    try transaction.updateStanding(of: user)
                }
            }
            var readers = [UserSearch.Reader.everything]
            for id in [nil, own.id, other.id] {
                for (unlisted, disabled) in [(false, false), (false, true), (true, false), (true, true)] {
                    readers.append(.user(id, seesUnlisted: unlisted, seesDisabled: disabled))
                }
            }
            for reader in readers {
                let search = UserSearch(order: [UserOrder(.createdAt)], counts: true, reader: reader)
                let found = try await findings(search, samples, engine)
                let visible = written.filter { $0.isVisible(to: reader) }.map(\.displayName)
                try expect(found.users.map(\.displayName) == visible, "\(reader): \(found.users.map(\.displayName))")
                try expectEqual(found.count, visible.count)
            }
        },
        Contract("finds only whom the reader may see, and no address but the reader's own") { engine in
            let samples = Samples()
            var users = (0..<5).map { samples.user("\($0)", after: Int64($0)) }
            users[1].acl = ACL([.everybody: [.read]])
            users[2].acl = ACL([.user(users[0].id): [.read]])
            users[3].acl = ACL()
            users[0].email = "own@example.com"
            users[1].email = "other@example.com"
            users[1].username = "Other"
            let written = users
            try await engine.write { transaction throws(DomainError) in
                for user in written {
                    try transaction.insert(user)
                    if !user.typedIdentifiers.isEmpty { try transaction.updateIdentifiers(of: user) }
                }
            }
            func names(_ reader: UserSearch.Reader, _ condition: UserCondition = .all([])) async throws -> [String?] {
                try await findings(UserSearch(condition: condition, reader: reader), samples, engine).users
                    .map(\.displayName)
            }
            try expectEqual(try await names(.everything), ["0", "1", "2", "3", "4"])
            try expectEqual(try await names(.user(nil, seesUnlisted: false, seesDisabled: true)), ["1"])
            try expectEqual(try await names(.user(nil, seesUnlisted: true, seesDisabled: true)), ["0", "1", "4"])
            let reader = UserSearch.Reader.user(users[0].id, seesUnlisted: false, seesDisabled: true)
            try expectEqual(try await names(reader), ["0", "1", "2"])
            try expectEqual(try await names(reader, .equals(.username, .text("oTHER"))), ["1"])
            try expectEqual(try await names(reader, .equals(.email, .text("other@example.com"))), [])
            try expectEqual(try await names(reader, .exists(.email)), ["0"])
            try expectEqual(try await names(reader, .equals(.email, .text("OWN@example.com"))), ["0"])
            try expectEqual(try await names(.everything, .equals(.email, .text("other@example.com"))), ["1"])
            // Nobody in particular sees no address, and can ask to sort by one nevertheless.
            for field in [UserField.email, .phone, .emailVerified] {
                let sorted = UserSearch(
                    order: [UserOrder(field), UserOrder(.id, isDescending: true)],
                    reader: .user(nil, seesUnlisted: true, seesDisabled: true))
                try expectEqual(
                    try await findings(sorted, samples, engine).users.map(\.displayName), ["4", "1", "0"])
            }
            var changed = users[1]
            changed.acl = nil
            let patch = changed
            let read = try await engine.write { transaction throws(DomainError) in
                try transaction.updateACL(of: patch)
                return try transaction.user(patch.id, in: patch.application)
            }
            try expectEqual(read?.acl, nil)
            try expectEqual(try await names(.user(nil, seesUnlisted: false, seesDisabled: true)), [])
        },
    ]
}

/// Values with everything in them that can be written in more than one way.
private let writtenValues: [JSONValue] = [
    ["b": 1, "a": 2, "B": 3, "é": 4, "e\u{301}x": 5, "あ": 6, "ア": 7, "": 8, "a b": 9, "a/b": 10, "10": 11, "9": 12],
    ["t": "\"\\/\u{1}\u{8}\t\n\u{c}\r\u{1f}\u{7f}\u{2028}👋", "n": [0, -1, 1.5, 1e21, 1e-7, 123_456_789.125]],
    [.integer(.max), .integer(.min), .number(1e300), .number(-0.1), nil, true, false, [], [:], [[["x": [:]]]]],
]

private let time = Timestamp(milliseconds: 1_767_323_045_678)

private func insert(
    _ users: [(String, [String: JSONValue])], _ samples: Samples, _ engine: any Engine
) async throws {
    try await engine.write { transaction throws(DomainError) in
        for (offset, (name, fields)) in users.enumerated() {
            var user = samples.user(name, after: Int64(offset))
            user.fields = fields
            try transaction.insert(user)
        }
    }
}

private func findings(
    _ search: UserSearch, _ samples: Samples, _ engine: any Engine
) async throws -> UserSearch.Findings {
    try await engine.search(within: .seconds(60)) { transaction throws(DomainError) in
        try transaction.search(search, in: samples.application)
    }.result.get()
}

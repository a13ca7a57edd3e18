import Domain
import Storage
import enum OkaeriWire.JSONValue

extension Contract {
    static let searchTimeContracts = [
        Contract("stops a search at its time limit in the middle of a statement, and its reader takes the next one") {
            engine in
            for _ in 0..<4 {
                let stopped = await engine.search(within: .milliseconds(50)) { transaction throws(DomainError) in
                    try transaction.countTo(10_000_000_000)
                }
                try expectEqual(stopped.result, .failure(.searchTooSlow))
                try expect(stopped.time >= .milliseconds(40) && stopped.time < .seconds(120), "\(stopped.time)")
            }
            let next = await engine.search(within: .seconds(60)) { transaction throws(DomainError) in
                try transaction.countTo(10)
            }
            try expectEqual(next.result, .success(10))
        },
        Contract("counts the time of all a search's statements together") { engine in
            let stopped = await engine.search(within: .milliseconds(50)) { transaction throws(DomainError) in
                // It would go on for ever.
                while try transaction.countTo(1000) == 1000 {}
                return 0
            }
            try expectEqual(stopped.result, .failure(.searchTooSlow))
        },
        Contract("lets no search's time limit hold for what comes after it") { engine in
            for _ in 0..<4 {
                _ = await engine.search(within: .milliseconds(5)) { transaction throws(DomainError) in
                    try transaction.countTo(10_000_000_000)
                }
            }
            let longer = await engine.search(within: .seconds(60)) { transaction throws(DomainError) in
                // Some tens of milliseconds at least.
                try transaction.countTo(400_000)
            }
            try expectEqual(longer.result, .success(400_000))
            let samples = Samples()
            let user = samples.user("after")
            try await engine.write { transaction throws(DomainError) in try transaction.insert(user) }
            let read = try await engine.read { transaction throws(DomainError) in
                try transaction.user(user.id, in: user.application)
            }
            try expectEqual(read?.displayName, "after")
        },
        Contract("reads no more of users than one search may, and its reader takes the next one") { engine in
            let samples = Samples()
            // Twice what a search may read.
            let text = JSONValue.string(String(repeating: "a", count: 32_768))
            let count = 2 * SearchLimits.maximumBytes / 32_768
            for start in stride(from: 0, to: count, by: 128) {
                try await engine.write { transaction throws(DomainError) in
                    for number in start..<(start + 128) {
                        var user = samples.user("\(number)", after: Int64(number))
                        user.fields = ["text": text]
                        try transaction.insert(user)
                    }
                }
            }
            for order in [[], [UserOrder(.createdAt, isDescending: true)], [UserOrder(.custom(["text"]))]] {
                for (limit, isTooMuch) in [(count, true), (100, false)] {
                    let search = UserSearch(order: order, limit: limit, counts: true, reader: .everything)
                    let found = await engine.search(within: .seconds(60)) { transaction throws(DomainError) in
                        try transaction.search(search, in: samples.application)
                    }
                    if isTooMuch {
                        try expectEqual(found.result, .failure(.searchTooLarge))
                    } else {
                        let findings = try found.result.get()
                        try expect(findings.users.count == 100 && findings.count == count, "\(findings.users.count)")
                        try expect(findings.users.allSatisfy { $0.fields == ["text": text] }, "fields are missing")
                    }
                }
            }
            // All statements of a search together, and of lists too.
            let pages = await engine.search(within: .seconds(60)) { transaction throws(DomainError) in
                var last: Identifier<User>?
                for _ in 0..<4 {
                    last = try transaction.users(in: samples.application, after: last, limit: count / 4).last?.id
                }
                return last
            }
            try expectEqual(pages.result, .failure(.searchTooLarge))
            let all = try await engine.read { transaction throws(DomainError) in
                try transaction.users(in: samples.application, after: nil, limit: count)
            }
            try expectEqual(all.count, count)
        },
        Contract("takes questions that are put together for a request in searches alone") { engine in
            engine.observeFaults { _ in }
            do {
                _ = try await engine.read { transaction throws(DomainError) in try transaction.countTo(10) }
                throw ContractFault(description: "a question without a time limit was answered")
            } catch let error as DomainError {
                try expectEqual(error, .storageUnavailable)
            }
        },
        Contract("ends a search with what its closure throws, and tells how long it took") { engine in
            let refused = await engine.search(within: .seconds(60)) { _ throws(DomainError) -> Int in
                throw DomainError.userUnknown
            }
            try expectEqual(refused.result, .failure(.userUnknown))
            try expect(refused.time < .seconds(60), "\(refused.time)")
        },
        Contract("looks values up in long lists without a walk for each of them") { engine in
            let samples = Samples()
            let list = (0..<4000).map { JSONValue.integer($0) }
            try await engine.write { transaction throws(DomainError) in
                for number in 0..<50 {
                    var user = samples.user("\(number)", after: Int64(number))
                    user.fields = ["list": .array(list)]
                    try transaction.insert(user)
                }
            }
            let absent = (0..<199).map { SearchValue.number(Double($0) + 0.5) }
            var times: [Duration] = []
            for values in [Array(absent.prefix(1)), absent] {
                let search = UserSearch(
                    condition: .isOneOf(.custom(["list"]), values), counts: true, reader: .everything)
                let found = await engine.search(within: .seconds(600)) { transaction throws(DomainError) in
                    try transaction.search(search, in: samples.application)
                }
                try expectEqual(try found.result.get().count, 0)
                times.append(found.time)
            }
            // A walk for each of the values would be forty million steps, and 199 times as long as for one on a slow machine too.
            try expect(times[1] < .seconds(5) || times[1] < times[0] * 40, "\(times)")
        },
    ]
}

extension Transaction {
    /// A statement that takes as long as one likes, on every engine.
    fileprivate func countTo(_ number: Int64) throws(DomainError) -> Int64 {
        guard let transaction = self as? SQLTransaction else { throw .storageUnavailable }
        let question = DynamicQuery(
            text: """
                WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(number))
                SELECT COUNT(*) FROM numbers
                """)
        return try transaction.connection.rows(question) { row throws(DomainError) in row.integer(0) }.first ?? 0
    }
}

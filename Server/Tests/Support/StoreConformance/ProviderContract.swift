import Domain
import TestWorld

extension Contract {
    static let providerContracts = [
        Contract("gives a provider's settings back as they were written, and those of one name from every application")
        {
            engine in
            let samples = Samples()
            let full = StoredProvider(
                application: samples.application,
                settings: ProviderSettings(
                    provider: .apple, audiences: ["com.example.app", "com.example.web"], teamId: "TEAM123456",
                    keyId: "KEY1234567", redirectURIs: ["https://example.com/back"]),
                sealedSecret: [0, 1, 255], updatedAt: samples.now)
            let bare = StoredProvider(
                application: samples.otherApplication,
                settings: ProviderSettings(provider: .apple, audiences: ["a"]), sealedSecret: nil,
                updatedAt: samples.now)
            let google = StoredProvider(
                application: samples.application,
                settings: ProviderSettings(provider: .google, audiences: ["g"], issuer: "https://x"),
                sealedSecret: nil, updatedAt: samples.now)
            var changed = full
            changed.settings.audiences = ["com.example.next"]
            let later = changed
            let (mine, everyones, after, removed, left) = try await engine.write { transaction throws(DomainError) in
                for provider in [full, bare, google] { try transaction.save(provider) }
                let mine = try transaction.providers(of: samples.application)
                let everyones = try transaction.providers(named: .apple)
                try transaction.save(later)
                let after = try transaction.providers(of: samples.application)
                let removed = [
                    try transaction.removeProvider(.google, of: samples.application),
                    try transaction.removeProvider(.google, of: samples.application),
                ]
                return (mine, everyones, after, removed, try transaction.providers(of: samples.application))
            }
            try expectEqual(mine, [full, google])
            try expectEqual(everyones, [full, bare])
            try expectEqual(after, [later, google])
            try expectEqual(removed, [true, false])
            try expectEqual(left, [later])
        },
        Contract("keeps what providers sent, and moves it with the identity to another name") { engine in
            let samples = Samples()
            let user = samples.user("花")
            var account = ProviderAccount(
                application: samples.application, provider: .apple, subject: "OLD/a", audience: "com.example.app",
                sealedGrant: [1, 0], email: ProviderEmail(address: "a@b", isVerified: true, isRelay: true),
                transferSubject: "t", updatedAt: samples.now)
            account.isEmailForwarded = false
            account.formerNames = ["x", "y"]
            let full = account
            let bare = ProviderAccount(
                application: samples.application, provider: .apple, subject: "OLD/b", audience: "",
                updatedAt: samples.now)
            let identity = Identity(provider: .apple, subject: "OLD/a", linkedAt: samples.now)
            let (one, two, transferred, subjects) = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(user)
                try transaction.insert(identity, for: user.id, in: samples.application)
                try transaction.save(full)
                try transaction.save(bare)
                return (
                    try transaction.providerAccount(.apple, subject: "OLD/a", in: samples.application),
                    try transaction.providerAccount(.apple, subject: "OLD/b", in: samples.application),
                    try transaction.providerAccount(.apple, transferSubject: "t", in: samples.application),
                    try transaction.subjects(of: .apple, in: samples.application, after: nil, limit: 10)
                )
            }
            try expectEqual(one, full)
            try expectEqual(two, bare)
            try expectEqual(transferred, full)
            try expectEqual(subjects, ["OLD/a"])
            let (before, moved, owner, none) = try await engine.write { transaction throws(DomainError) in
                try transaction.renameProviderAccount(
                    .apple, from: "OLD/a", to: "NEW/a", in: samples.application)
                let before = try transaction.providerAccount(.apple, subject: "OLD/a", in: samples.application)
                let moved = try transaction.providerAccount(.apple, subject: "NEW/a", in: samples.application)
                let owner = try transaction.user(provider: .apple, subject: "NEW/a", in: samples.application)
                if let identity = owner?.identities.first {
                    try transaction.remove(identity, of: user.id, in: samples.application)
                }
                try transaction.removeProviderAccount(.apple, subject: "NEW/a", in: samples.application)
                return (
                    before, moved, owner?.id,
                    try transaction.user(provider: .apple, subject: "NEW/a", in: samples.application)?.id
                )
            }
            try expectEqual(before, nil)
            try expectEqual(moved?.transferSubject, "t")
            try expectEqual(moved?.formerNames, ["x", "y"])
            try expectEqual(owner, user.id)
            try expectEqual(none, nil)
        },
        Contract("erases the id that a client made with its user, and nobody else's") { engine in
            let samples = Samples()
            let (user, other) = (samples.user(), samples.user())
            let left = try await engine.write { transaction throws(DomainError) in
                for (owner, name) in [(user, "one"), (other, "two")] {
                    try transaction.insert(owner)
                    try transaction.insert(
                        Identity(provider: .anonymous, subject: name, linkedAt: samples.now), for: owner.id,
                        in: samples.application)
                    try transaction.save(
                        ProviderAccount(
                            application: samples.application, provider: .anonymous, subject: name, audience: "",
                            sealedGrant: [1], updatedAt: samples.now))
                }
                try transaction.erase(user.id, in: samples.application)
                return [
                    try transaction.providerAccount(.anonymous, subject: "one", in: samples.application)?.subject,
                    try transaction.providerAccount(.anonymous, subject: "two", in: samples.application)?.subject,
                ]
            }
            try expectEqual(left, [nil, "two"])
        },
        Contract("lets one of two workers take a revocation, when it is due") { engine in
            let samples = Samples()
            let revocation = ProviderRevocation(
                application: samples.application, id: samples.randomness.newIdentifier(at: samples.now),
                provider: .apple, audience: "a", sealedGrant: [9, 0], dueAt: samples.now, createdAt: samples.now)
            let lease = samples.now + .seconds(120)
            let (early, due, claims, leased) = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(revocation)
                return (
                    try transaction.providerRevocations(dueAt: samples.now - .milliseconds(1), limit: 5),
                    try transaction.providerRevocations(dueAt: samples.now, limit: 5),
                    [
                        try transaction.claim(revocation, until: lease),
                        try transaction.claim(revocation, until: lease),
                    ],
                    try transaction.providerRevocations(dueAt: samples.now, limit: 5)
                )
            }
            try expectEqual(early, [])
            try expectEqual(due, [revocation])
            try expectEqual(claims, [true, false])
            try expectEqual(leased, [])
            var failed = revocation
            failed.failures = 3
            failed.dueAt = samples.now + .seconds(7)
            let later = failed
            let (postponed, kept, shortened, left, counts) = try await engine.write { transaction throws(DomainError) in
                try transaction.update(later)
                let postponed = try transaction.providerRevocations(dueAt: later.dueAt, limit: 5)
                let none = try transaction.shortenRevocationWaits(beyond: later.dueAt, to: samples.now, count: 9)
                let kept = try transaction.providerRevocations(dueAt: samples.now, limit: 5)
                let one = try transaction.shortenRevocationWaits(
                    beyond: later.dueAt - .milliseconds(1), to: samples.now, count: 9)
                let shortened = try transaction.providerRevocations(dueAt: samples.now, limit: 5)
                try transaction.removeProviderRevocation(later.id, in: samples.application)
                return (
                    postponed, kept, shortened, try transaction.providerRevocations(dueAt: later.dueAt, limit: 5),
                    [none, one]
                )
            }
            try expectEqual(postponed, [later])
            try expectEqual(kept, [])
            try expectEqual(shortened.map(\.id), [later.id])
            try expectEqual(counts, [0, 1])
            try expectEqual(left, [])
        },
        Contract("ends the sessions that one way of log-in opened") { engine in
            let samples = Samples()
            let user = samples.user()
            let automatic = samples.session(of: user)
            var other = samples.session(of: user, after: .seconds(1))
            other.method = .init(rawValue: "apple")
            let apple = other
            let (kept, ended, left) = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(user)
                try transaction.insert(automatic, token: samples.token(1), attempt: nil)
                try transaction.insert(apple, token: samples.token(2), attempt: nil)
                let kept = try transaction.endSessions(
                    of: user.id, openedBy: .init(rawValue: "apple"), in: samples.application, except: apple.id)
                let ended = try transaction.endSessions(
                    of: user.id, openedBy: .init(rawValue: "apple"), in: samples.application, except: nil)
                return (kept, ended, try transaction.sessions(of: user.id, in: samples.application).map(\.id))
            }
            try expectEqual(kept, 0)
            try expectEqual(ended, 1)
            try expectEqual(left, [automatic.id])
        },
    ]
}

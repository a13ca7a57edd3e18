import Domain
import Storage

extension Contract {
    static let administrationContracts = [
        Contract("returns an admin as it was written, by id and by folded name, and lists admins by age") { engine in
            let samples = Samples()
            let (first, second) = (samples.admin("Hana", after: 0), samples.admin("Sora", after: 1))
            var changed = first
            changed.name = "HANA Mori"
            changed.passwordHash = PasswordHash(text: "$argon2id$other")
            changed.sealedTOTP = nil
            changed.lastTOTPStep = .max
            changed.recoveryDigests = []
            changed.updatedAt = samples.now + .seconds(5)
            changed.disabledAt = samples.now + .seconds(6)
            let written = changed
            let (one, named, gone, all, left) = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(second)
                try transaction.insert(first)
                let one = try transaction.admin(first.id)
                try transaction.update(written)
                let named = try transaction.admin(named: written.foldedName)
                let gone = try transaction.admin(named: first.foldedName)
                let all = try transaction.admins()
                try transaction.removeAdmin(first.id)
                return (one, named, gone, all, try transaction.admins())
            }
            try expectEqual(one, first)
            try expectEqual(named, written)
            try expectEqual(gone, nil)
            try expectEqual(all, [written, second])
            try expectEqual(left, [second])
        },
        Contract("lists admins beside one with a role that only a newer program knows") { engine in
            let samples = Samples()
            let (first, second) = (samples.admin("Hana", after: 0), samples.admin("Sora", after: 1))
            let all = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(first)
                try transaction.insert(second)
                guard let sql = transaction as? SQLTransaction else { throw .storageUnavailable }
                try sql.connection.run("UPDATE admins SET role = 'of-tomorrow' WHERE id = $1", [.id(first.id)])
                return try transaction.admins()
            }
            try expectEqual(all, [second])
        },
        Contract("keeps an admin's sessions until they end or expire") { engine in
            let samples = Samples()
            let (admin, other) = (samples.admin("Hana", after: 0), samples.admin("Sora", after: 1))
            var used = AdminSession(digest: samples.token(1), admin: admin.id, createdAt: samples.now)
            used.lastUsedAt = samples.now + .seconds(5)
            let session = used
            let others = AdminSession(digest: samples.token(2), admin: other.id, createdAt: samples.now)
            let found = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(AdminSession(digest: samples.token(1), admin: admin.id, createdAt: samples.now))
                try transaction.insert(others)
                try transaction.noteUse(of: session)
                var found = [try transaction.adminSession(samples.token(1))]
                found.append(try transaction.adminSession(of: admin.id, createdAt: samples.now))
                found.append(try transaction.adminSession(of: admin.id, createdAt: samples.now + .milliseconds(1)))
                try transaction.removeAccess(of: admin.id)
                found.append(try transaction.adminSession(samples.token(1)))
                found.append(try transaction.adminSession(samples.token(2)))
                try transaction.removeAdminSessions(createdBefore: samples.now, usedBefore: samples.now)
                found.append(try transaction.adminSession(samples.token(2)))
                let later = samples.now + .milliseconds(1)
                for (creation, use) in [(samples.now, later), (later, samples.now)] {
                    try transaction.removeAdminSessions(createdBefore: creation, usedBefore: use)
                    found.append(try transaction.adminSession(samples.token(2)))
                    try transaction.insert(others)
                }
                try transaction.removeAdminSession(samples.token(2))
                found.append(try transaction.adminSession(samples.token(2)))
                return found
            }
            try expectEqual(found, [session, session, nil, nil, others, others, nil, nil, nil])
        },
        Contract("keeps a link for an admin until it is used once, and links for owners apart") { engine in
            let samples = Samples()
            let admin = samples.admin("Hana", after: 0)
            let link = AdminLink(
                digest: samples.token(1), admin: admin.id, sealedTOTP: [0, 255], expiresAt: samples.now + .days(1))
            let owners = AdminLink(
                digest: samples.token(2), admin: nil, sealedTOTP: [1], expiresAt: samples.now + .days(1))
            let (found, removed) = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(link)
                try transaction.insert(owners)
                var found = [try transaction.adminLink(link.digest), try transaction.adminLink(owners.digest)]
                try transaction.removeOwnerLinks()
                found += [try transaction.adminLink(link.digest), try transaction.adminLink(owners.digest)]
                try transaction.removeAdminLinks(endedBefore: link.expiresAt)
                found.append(try transaction.adminLink(link.digest))
                let removed = [try transaction.remove(link), try transaction.remove(link)]
                found.append(try transaction.adminLink(link.digest))
                return (found, removed)
            }
            try expectEqual(found, [link, owners, link, nil, link, nil])
            try expectEqual(removed, [true, false])
        },
        Contract("keeps keys of the admin API, newest first, and ends those of one admin") { engine in
            let samples = Samples()
            let (admin, other) = (samples.admin("Hana", after: 0), samples.admin("Sora", after: 1))
            let keys = [samples.adminKey(1, of: admin), samples.adminKey(2, of: admin), samples.adminKey(3, of: other)]
            var confined = keys[0]
            confined.reach.networks = [IPNetwork("0.0.0.0/0"), IPNetwork("::/0")].compactMap(\.self)
            let changed = confined
            let (all, one, found, ended, left, removed) = try await engine.write { transaction throws(DomainError) in
                for key in keys { try transaction.insert(key) }
                let (all, one) = (try transaction.adminKeys(), try transaction.adminKey(keys[1].digest))
                try transaction.updateReach(of: changed)
                let found = [
                    try transaction.adminKey(keys[0].id), try transaction.adminKey(keys[1].id),
                    try transaction.adminKey(Identifier(rawValue: "none")),
                ]
                let ended = try transaction.removeAdminKeys(madeBy: admin.id)
                try transaction.removeAdminKeys(endedBefore: keys[2].expiresAt)
                let left = try transaction.adminKeys()
                let removed = [try transaction.removeAdminKey(keys[2].id), try transaction.removeAdminKey(keys[2].id)]
                return (all, one, found, ended, left, removed)
            }
            try expectEqual(all, keys.reversed())
            try expectEqual(one, keys[1])
            try expectEqual(found, [changed, keys[1], nil])
            try expectEqual(ended, 2)
            try expectEqual(left, [keys[2]])
            try expectEqual(removed, [true, false])
        },
        Contract("keeps passkeys of admins apart, and ends the sessions of one that is removed") { engine in
            let samples = Samples()
            let (admin, other) = (samples.admin("Hana", after: 0), samples.admin("Sora", after: 1))
            let passkeys = ["a", "b", "c"].map { id in
                Passkey(
                    Passkey.Credential(
                        id: id, userHandle: "handle", publicKey: [1], aaguid: "aaguid", signCount: 0, transports: [],
                        isBackupEligible: true, isBackedUp: true),
                    application: AuditEntry.server, name: id, createdAt: samples.now)
            }
            let sessions = [(1, admin, "a"), (2, admin, "b"), (3, admin, nil), (4, other, "c")].map {
                number, admin, passkey in
                var session = AdminSession(
                    digest: samples.token(UInt8(number)), admin: admin.id, createdAt: samples.now)
                session.passkey = passkey
                return session
            }
            var changed = admin
            changed.usesPasskeysOnly = true
            let present = changed
            let (found, owners, left, kept, alone) = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(admin)
                try transaction.insert(other)
                for (passkey, owner) in zip(passkeys, [admin, admin, other]) {
                    try transaction.insert(passkey)
                    try transaction.link(passkey, to: owner.id)
                }
                for session in sessions { try transaction.insert(session) }
                try transaction.update(present)
                let found = [try transaction.passkeys(of: admin.id), try transaction.passkeys(of: other.id)]
                // Another's is not removed.
                try transaction.removePasskey("c", of: admin.id)
                try transaction.removePasskey("a", of: admin.id)
                let owners = [
                    try transaction.admin(passkey: "a"), try transaction.admin(passkey: "b"),
                    try transaction.admin(passkey: "c"),
                ]
                let left = try transaction.passkey("a", in: AuditEntry.server)
                var kept: [AdminSession?] = []
                for session in sessions { kept.append(try transaction.adminSession(session.digest)) }
                try transaction.removeAdminSessions(of: admin.id, but: sessions[1].digest)
                var alone: [AdminSession?] = []
                for session in sessions { alone.append(try transaction.adminSession(session.digest)) }
                return (found, owners, left, kept, alone)
            }
            try expectEqual(found, [Array(passkeys[..<2]), [passkeys[2]]])
            try expectEqual(owners, [nil, present, other])
            try expectEqual(left, nil)
            try expectEqual(kept, [nil, sessions[1], sessions[2], sessions[3]])
            try expectEqual(alone, [nil, sessions[1], nil, sessions[3]])
        },
        Contract("keeps one identity of an admin, and ends the sessions that it opened") { engine in
            let samples = Samples()
            let (admin, other) = (samples.admin("Hana", after: 0), samples.admin("Sora", after: 1))
            let identities = [
                AdminIdentity(
                    issuer: "https://login.example.com", subject: "a", admin: admin.id, linkedAt: samples.now),
                AdminIdentity(
                    issuer: "https://login.example.com", subject: "b", admin: other.id,
                    linkedAt: samples.now + .seconds(1)),
            ]
            let sessions = [(1, admin, identities[0].id), (2, admin, nil), (3, other, identities[1].id)].map {
                number, admin, identity in
                var session = AdminSession(
                    digest: samples.token(UInt8(number)), admin: admin.id, createdAt: samples.now)
                session.identity = identity
                return session
            }
            let written = try await engine.write { transaction throws(DomainError) in
                for admin in [admin, other] { try transaction.insert(admin) }
                for identity in identities { try transaction.insert(identity) }
                for session in sessions { try transaction.insert(session) }
                let found = [
                    try transaction.adminIdentity(identities[0].id), try transaction.identity(of: other.id),
                    try transaction.adminIdentity("none"), try transaction.identity(of: Identifier(rawValue: "none")),
                ]
                return (found, try transaction.adminIdentities())
            }
            try expectEqual(written.0, [identities[0], identities[1], nil, nil])
            try expectEqual(written.1, identities)
            let left = try await engine.write { transaction throws(DomainError) in
                try transaction.removeIdentity(of: admin.id)
                var kept: [AdminSession?] = []
                for session in sessions { kept.append(try transaction.adminSession(session.digest)) }
                return (kept, try transaction.adminIdentities())
            }
            try expectEqual(left.0, [nil, sessions[1], sessions[2]])
            try expectEqual(left.1, [identities[1]])
        },
        Contract("finds an application by the digest of its admin key, and reads no settings for it") { engine in
            let samples = Samples()
            let application = Application(
                id: samples.application, name: "App", adminKeyDigest: samples.token(7), settings: .init(),
                createdAt: samples.now)
            let found = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(application)
                guard let sql = transaction as? SQLTransaction else { throw .storageUnavailable }
                try sql.connection.run("UPDATE applications SET settings = 'none that can be read'")
                let known = try transaction.application(adminKey: samples.token(7))
                let unknown = try transaction.application(adminKey: samples.token(8))
                return [known?.id.rawValue, known?.name, unknown?.name]
            }
            try expectEqual(found, [samples.application.rawValue, "App", nil])
        },
        Contract("writes audit entries, gives them positions, and finds them by every filter") { engine in
            let samples = Samples()
            let user = samples.user()
            let entries = [
                samples.auditEntry(1, actor: .user(user.id), target: nil),
                samples.auditEntry(2, actor: .operator, target: .init(rawValue: user.id.rawValue)),
                samples.auditEntry(3, actor: .operator, target: .signingKey("k")),
            ]
            let chained = entries.prefix(2).enumerated().map { index, entry in
                ChainedAuditEntry(entry: entry, number: Int64(index + 1), digest: samples.token(UInt8(index)))
            }
            let head = AuditHead(
                application: samples.application, number: 2, digest: samples.token(1), seal: samples.token(9))
            let application = samples.application
            let (unchained, chain, rest) = try await engine.write { transaction throws(DomainError) in
                for entry in entries { try transaction.insert(entry) }
                let unchained = try transaction.unchainedAuditEntries(limit: 9)
                for entry in chained { try transaction.updatePosition(of: entry) }
                return (
                    unchained, try transaction.auditChain(of: application, after: 0, limit: 9),
                    try transaction.unchainedAuditEntries(limit: 9)
                )
            }
            try expectEqual(unchained, entries)
            try expectEqual(chain, chained)
            try expectEqual(rest, [entries[2]])
            let heads = try await engine.write { transaction throws(DomainError) in
                var heads = [try transaction.auditHead(of: application)]
                try transaction.replace(
                    AuditHead(application: application, number: 1, digest: head.seal, seal: head.digest))
                try transaction.replace(head)
                heads.append(try transaction.auditHead(of: application))
                for head in try transaction.auditHeads() { heads.append(head) }
                return heads
            }
            try expectEqual(heads, [nil, head, head])
            let filters = [
                AuditFilter(), AuditFilter(actor: .operator), AuditFilter(action: entries[0].action),
                AuditFilter(target: .signingKey("k")), AuditFilter(actor: .user(user.id), target: .signingKey("k")),
            ]
            let found = try await engine.read { transaction throws(DomainError) in
                var found: [[AuditEntry]] = []
                for filter in filters {
                    found.append(try transaction.auditEntries(in: application, matching: filter, before: nil, limit: 9))
                }
                return found
            }
            try expectEqual(
                found, [entries.reversed(), [entries[2], entries[1]], [entries[0]], [entries[2]], []])
            let about = try await engine.read { transaction throws(DomainError) in
                try transaction.auditEntries(about: user.id, in: application, limit: 9)
            }
            try expect(about.contains(entries[0]), "what a user did is not found")
        },
    ]

    static let statisticContracts = [
        Contract("counts users, active users and audit entries of a span") { engine in
            let samples = Samples()
            let (start, end) = (samples.now, samples.now + .seconds(10))
            let application = samples.application
            let counts = try await engine.write { transaction throws(DomainError) in
                for offset: Int64 in [-1, 0, 9_999, 10_000] {
                    var user = samples.user(after: offset)
                    user.lastLogInAt = user.createdAt
                    try transaction.insert(user)
                }
                // Who was made by others was not there.
                try transaction.insert(samples.user(after: 20_000))
                for number in 1...3 {
                    try transaction.insert(samples.auditEntry(number, actor: .operator, target: nil))
                }
                return [
                    try transaction.countUsers(in: application, from: start, to: end),
                    try transaction.countActiveUsers(in: application, since: start.day),
                    try transaction.countActiveUsers(in: application, since: start.day + 2),
                ]
            }
            try expectEqual(counts, [2, 4, 0])
            let audit = try await engine.read { transaction throws(DomainError) in
                try transaction.countAudit(in: application, from: start, to: end)
            }
            try expectEqual(audit.values.sorted(), [1, 1, 1])
        },
        Contract("writes statistics over those of the same hour, knows the last one, and removes those after one") {
            engine in
            let samples = Samples()
            let name = Statistic.Name.activeMonth
            let application = samples.application
            let (none, statistics, last) = try await engine.write { transaction throws(DomainError) in
                let none = try transaction.lastHour(of: application)
                try transaction.write(
                    [Statistic(hour: 10, name: name, value: 1), Statistic(hour: 11, name: name, value: 2)],
                    of: application)
                try transaction.write([Statistic(hour: 11, name: name, value: 3)], of: application)
                return (
                    none, try transaction.statistics(of: application, since: 11),
                    try transaction.lastHour(of: application)
                )
            }
            try expectEqual(none, nil)
            try expectEqual(statistics, [Statistic(hour: 11, name: name, value: 3)])
            try expectEqual(last, 11)
            let left = try await engine.write { transaction throws(DomainError) in
                try transaction.write([Statistic(hour: 11, name: name, value: 4)], of: samples.otherApplication)
                try transaction.removeStatistics(of: application, after: 10)
                return [
                    try transaction.lastHour(of: application), try transaction.lastHour(of: samples.otherApplication),
                ]
            }
            try expectEqual(left, [10, 11])
        },
    ]
}

extension Samples {
    func admin(_ name: String, after offset: Int64) -> Admin {
        var admin = Admin(
            id: randomness.newIdentifier(at: now + .milliseconds(offset)), name: name, role: .support,
            applications: [application, otherApplication], createdAt: now)
        admin.passwordHash = PasswordHash(text: "$argon2id$hash")
        admin.sealedTOTP = [0, 1, 255]
        admin.lastTOTPStep = 7
        admin.recoveryDigests = [token(1), token(2)]
        admin.updatedAt = now + .seconds(1)
        admin.lastLogInAt = now + .seconds(2)
        return admin
    }

    func adminKey(_ number: UInt8, of admin: Admin) -> AdminKey {
        AdminKey(
            id: randomness.newIdentifier(at: now + .milliseconds(Int(number))), digest: token(number),
            name: "key \(number)", scopes: [.readUsers, .readStatistics],
            reach: .init(
                applications: number == 1 ? nil : [application],
                networks: number == 1 ? [] : ["192.0.2.7/32", "2001:db8::/32"].compactMap { IPNetwork($0) }),
            maker: .init(id: admin.id, name: admin.name), createdAt: now, expiresAt: now + .days(1))
    }

    func auditEntry(_ number: Int, actor: AuditEntry.Actor, target: AuditEntry.Target?) -> AuditEntry {
        AuditEntry(
            id: randomness.newIdentifier(at: now + .milliseconds(number)), application: application, at: now,
            by: Operator(
                actor: actor,
                origin: RequestOrigin(address: "2001:db8::7", userAgent: "test", requestId: "r\(number)")),
            did: .init(
                .init(rawValue: "action.\(number)"), on: target, result: .done, details: ["number": "\(number)"]),
            seal: token(UInt8(number)))
    }
}

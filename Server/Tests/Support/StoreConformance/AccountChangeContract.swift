import Domain
import Storage
import TestWorld

extension Contract {
    static let accountChangeContracts = [
        Contract("remembers whose a removed device key was and why, until the key leads to somebody again") { engine in
            let samples = Samples()
            let key = RemovedDeviceKey(
                application: samples.application, thumbprint: "one", user: samples.user().id,
                reason: .init(rawValue: "password_changed"), removedAt: samples.now)
            let later = RemovedDeviceKey(
                application: samples.application, thumbprint: "one", user: samples.user().id,
                reason: .init(rawValue: "disabled"), removedAt: samples.now + .seconds(1))
            let found = try await engine.write { transaction throws(DomainError) in
                var found = [try transaction.removedDeviceKey("one", in: samples.application)]
                try transaction.keep(key)
                found.append(try transaction.removedDeviceKey("one", in: samples.application))
                found.append(try transaction.removedDeviceKey("one", in: samples.otherApplication))
                try transaction.keep(later)
                _ = try transaction.forgetRemovedDeviceKeys(before: later.removedAt, count: 9)
                found.append(try transaction.removedDeviceKey("one", in: samples.application))
                try transaction.forgetRemovedDeviceKey("one", in: samples.application)
                found.append(try transaction.removedDeviceKey("one", in: samples.application))
                return found
            }
            try expectEqual(found, [nil, key, nil, later, nil])
        },
        Contract("takes all device keys but one from a user, and remembers each") { engine in
            let samples = Samples()
            let (user, other) = (samples.user(), samples.user())
            @Sendable func identity(_ subject: String, _ provider: Identity.Provider = .device) -> Identity {
                Identity(provider: provider, subject: subject, linkedAt: samples.now)
            }
            let reason = RemovedDeviceKey.Reason(rawValue: "disabled")
            let (left, removed) = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(user)
                try transaction.insert(other)
                for key in [identity("kept"), identity("one"), identity("two"), identity("one", .anonymous)] {
                    try transaction.insert(key, for: user.id, in: samples.application)
                }
                try transaction.insert(identity("other"), for: other.id, in: samples.application)
                try transaction.removeDeviceKeys(
                    of: user.id, in: samples.application, except: "kept", because: reason, at: samples.now)
                var left = [try transaction.user(user.id, in: samples.application)?.identities.map(\.subject)]
                left.append(try transaction.user(other.id, in: samples.application)?.identities.map(\.subject))
                var removed: [RemovedDeviceKey?] = []
                for key in ["one", "two", "kept", "other"] {
                    removed.append(try transaction.removedDeviceKey(key, in: samples.application))
                }
                try transaction.removeDeviceKeys(
                    of: user.id, in: samples.application, except: nil, because: reason, at: samples.now)
                left.append(try transaction.user(user.id, in: samples.application)?.identities.map(\.subject))
                return (left, removed)
            }
            func key(_ thumbprint: String) -> RemovedDeviceKey {
                RemovedDeviceKey(
                    application: samples.application, thumbprint: thumbprint, user: user.id, reason: reason,
                    removedAt: samples.now)
            }
            try expectEqual(left, [["one", "kept"], ["other"], ["one"]])
            try expectEqual(removed, [key("one"), key("two"), nil, nil])
        },
        Contract("keeps passkeys for as long as their identities lead to somebody, also to another user") { engine in
            let samples = Samples()
            let (user, other) = (samples.user(), samples.user())
            let identity = Identity(provider: .passkey, subject: "one", linkedAt: samples.now)
            let new = passkey("one", samples)
            var used = new
            used.name = "鍵"
            let named = used
            used.signCount = 8
            used.isBackedUp = true
            used.lastUsedAt = samples.now + .seconds(1)
            let after = used
            let found = try await engine.write { transaction throws(DomainError) -> [[Passkey]] in
                try transaction.insert(user)
                try transaction.insert(other)
                try transaction.insert(new)
                try transaction.insert(identity, for: user.id, in: samples.application)
                var found = [try transaction.passkeys(of: user.id, in: samples.application)]
                found.append(try transaction.passkeys(of: user.id, in: samples.otherApplication))
                let use = Passkey.Use(
                    signCount: 8, isBackupEligible: true, isBackedUp: true, at: samples.now + .seconds(1))
                _ = try transaction.note(use, of: "one", in: samples.application)
                // Who names it read it before the use.
                try transaction.updateName(of: named)
                _ = try transaction.remove(.passkey, subject: "one", of: user.id, in: samples.application)
                try transaction.insert(identity, for: other.id, in: samples.application)
                found.append(try transaction.passkeys(of: user.id, in: samples.application))
                found.append(try transaction.passkeys(of: other.id, in: samples.application))
                try transaction.remove(identity, of: other.id, in: samples.application)
                found.append([try transaction.passkey("one", in: samples.application)].compactMap { $0 })
                return found
            }
            try expectEqual(found, [[new], [], [], [after], []])
        },
        Contract("notes a use of a passkey by the rules of its counter and of backups, and says whether it did") {
            engine in
            let samples = Samples()
            // The known counter, the next one, whether backups stay as possible as they were, and whether that counts.
            let cases: [(Int64, Int64, Bool, Bool)] = [
                (7, 8, true, true), (7, 7, true, false), (7, 6, true, false), (7, 0, true, false), (0, 0, true, true),
                (0, 1, true, true), (7, 8, false, false), (0, 0, false, false), (7, 4_294_967_295, true, true),
            ]
            for (number, (known, next, isEligible, counts)) in cases.enumerated() {
                let new = passkey("use \(number)", samples, signCount: known)
                let use = Passkey.Use(
                    signCount: next, isBackupEligible: isEligible, isBackedUp: true, at: samples.now + .seconds(9))
                let (isNoted, after, elsewhere) = try await engine.write { transaction throws(DomainError) in
                    try transaction.insert(new)
                    let inOther = try transaction.note(use, of: new.id, in: samples.otherApplication)
                    let ofNobody = try transaction.note(use, of: "none", in: samples.application)
                    let elsewhere = inOther || ofNobody
                    let isNoted = try transaction.note(use, of: new.id, in: samples.application)
                    return (isNoted, try transaction.passkey(new.id, in: samples.application), elsewhere)
                }
                var expected = new
                if counts {
                    (expected.signCount, expected.isBackedUp, expected.lastUsedAt) = (next, true, use.at)
                }
                try expectEqual(isNoted, counts)
                try expectEqual(after, expected)
                try expectEqual(elsewhere, false)
            }
        },
        Contract("erases a user's passkeys, and nobody else's") { engine in
            let samples = Samples()
            let (user, other) = (samples.user(), samples.user())
            let (known, left) = try await engine.write { transaction throws(DomainError) in
                for (owner, name) in [(user, "one"), (other, "two")] {
                    try transaction.insert(owner)
                    try transaction.insert(passkey(name, samples))
                    try transaction.insert(
                        Identity(provider: .passkey, subject: name, linkedAt: samples.now), for: owner.id,
                        in: samples.application)
                }
                let before = [try transaction.hasPasskey("one"), try transaction.hasPasskey("three")]
                try transaction.erase(user.id, in: samples.application)
                let left = [
                    try transaction.passkey("one", in: samples.application),
                    try transaction.passkey("two", in: samples.application),
                ]
                return (before + [try transaction.hasPasskey("one"), try transaction.hasPasskey("two")], left)
            }
            try expectEqual(known, [true, false, false, true])
            try expectEqual(left, [nil, passkey("two", samples)])
        },
        Contract("keeps second factors and recovery codes of each user apart, and erases them with the user") {
            engine in
            let samples = Samples()
            let (user, other) = (samples.user(), samples.user())
            let (one, two) = (factor(of: user, samples), factor(of: other, samples))
            var used = one
            (used.lastStep, used.lastUsedAt) = (9, samples.now + .seconds(1))
            let after = used
            let digests = [SecretDigest(of: "one".utf8), SecretDigest(of: "two".utf8)]
            let found = try await engine.write { transaction throws(DomainError) -> [[TOTPFactor]] in
                for (owner, factor) in [(user, one), (other, two)] {
                    try transaction.insert(owner)
                    try transaction.insert(factor)
                    try transaction.replaceRecoveryCodes(of: owner.id, in: samples.application, with: digests)
                }
                try transaction.update(after)
                let isTaken = try transaction.removeRecoveryCode(digests[0], of: user.id, in: samples.application)
                let isTakenTwice = try transaction.removeRecoveryCode(
                    digests[0], of: user.id, in: samples.application)
                let isTakenElsewhere = try transaction.removeRecoveryCode(
                    digests[1], of: user.id, in: samples.otherApplication)
                guard isTaken, !isTakenTwice, !isTakenElsewhere,
                    try transaction.recoveryCodes(of: user.id, in: samples.application) == [digests[1]]
                else { return [] }
                var found = [try transaction.totpFactors(of: user.id, in: samples.application)]
                found.append(try transaction.totpFactors(of: user.id, in: samples.otherApplication))
                try transaction.erase(user.id, in: samples.application)
                found.append(try transaction.totpFactors(of: user.id, in: samples.application))
                found.append(try transaction.totpFactors(of: other.id, in: samples.application))
                guard try transaction.recoveryCodes(of: user.id, in: samples.application).isEmpty,
                    try transaction.recoveryCodes(of: other.id, in: samples.application).count == 2
                else { return [] }
                try transaction.remove(two)
                found.append(try transaction.totpFactors(of: other.id, in: samples.application))
                return found
            }
            try expectEqual(found, [[after], [], [], [two], []])
        },
        Contract("notes who has a second factor and which devices passed it, and forgets both together") { engine in
            let samples = Samples()
            let user = samples.user()
            var with = user
            with.secondFactorAt = samples.now
            let (having, device) = (with, Identity(provider: .device, subject: "key", linkedAt: samples.now))
            let found = try await engine.write { transaction throws(DomainError) -> [Timestamp?] in
                try transaction.insert(user)
                try transaction.insert(device, for: user.id, in: samples.application)
                var found: [Timestamp?] = []
                func look() throws(DomainError) {
                    let read = try transaction.user(user.id, in: samples.application)
                    found += [read?.secondFactorAt, read?.identities.first?.secondFactorAt]
                }
                try look()
                try transaction.updateSecondFactor(of: having)
                try transaction.noteSecondFactor(
                    ofDevice: "key", of: user.id, in: samples.application, at: samples.now)
                try look()
                try transaction.updateSecondFactor(of: user)
                try look()
                return found
            }
            try expectEqual(found, [nil, nil, samples.now, samples.now, nil, nil])
        },
        Contract("notes which session has passed the second factor, and no other one") { engine in
            let samples = Samples()
            let user = samples.user()
            let (passed, other) = (samples.session(of: user), samples.session(of: user, after: .seconds(1)))
            let noted = try await engine.write { transaction throws(DomainError) -> [Timestamp?] in
                try transaction.insert(passed, token: samples.token(1), attempt: nil)
                try transaction.insert(other, token: samples.token(2), attempt: nil)
                var now = passed
                now.secondFactorAt = samples.now
                try transaction.noteSecondFactor(of: now)
                return try transaction.sessions(of: user.id, in: samples.application).map(\.secondFactorAt)
            }
            try expectEqual(noted, [nil, samples.now])
        },
        Contract("removes all codes of a user but one and what gives an address back, and no others'") { engine in
            let samples = Samples()
            let (user, other) = (samples.user(), samples.user())
            let codes = [
                code(1, .logInCode, user, samples), code(2, .passwordReset, user, samples),
                code(3, .emailVerification, user, samples), code(4, .logInCode, other, samples),
                code(5, .emailRecovery, user, samples),
            ]
            let (count, left) = try await engine.write { transaction throws(DomainError) in
                for code in codes { try transaction.replaceCode(with: code) }
                let count = try transaction.removeCodes(
                    of: user.id, in: samples.application, except: samples.token(2))
                var left: [MailKind] = []
                for code in codes {
                    if let kept = try transaction.code(code.handle, in: samples.application) { left.append(kept.kind) }
                }
                return (count, left)
            }
            try expectEqual(count, 2)
            try expectEqual(left, [.passwordReset, .logInCode, .emailRecovery])
            let last = try await engine.write { transaction throws(DomainError) in
                try transaction.removeCodes(of: user.id, in: samples.application, except: nil)
            }
            try expectEqual(last, 1)
        },
        Contract("keeps the session in which a code was asked for") { engine in
            let samples = Samples()
            let user = samples.user()
            let session = samples.session(of: user)
            var code = MailedCode(
                application: samples.application, handle: samples.token(1), digest: samples.token(2),
                kind: .emailVerification, user: user.id, address: "hana@example.com", replaces: nil,
                expiresAt: samples.now + .days(1))
            code.origin = session.id.rawValue
            let asked = code
            let found = try await engine.write { transaction throws(DomainError) in
                try transaction.replaceCode(with: asked)
                return try transaction.code(samples.token(1), in: samples.application)
            }
            try expectEqual(found, asked)
        },
        Contract("takes all merge tickets of a user, whichever side it is") { engine in
            let samples = Samples()
            let (user, other, third) = (samples.user(), samples.user(), samples.user())
            let pairs = [(user, other), (third, user), (other, third)]
            let (count, left) = try await engine.write { transaction throws(DomainError) in
                for (number, pair) in pairs.enumerated() {
                    try transaction.insert(
                        MergeTicket(
                            application: samples.application, digest: samples.token(UInt8(number)), user: pair.0.id,
                            other: pair.1.id, expiresAt: samples.now + .seconds(600)))
                }
                let count = try transaction.removeMergeTickets(of: user.id, in: samples.application)
                var left: [Identifier<User>] = []
                for number in pairs.indices {
                    let digest = samples.token(UInt8(number))
                    if let ticket = try transaction.mergeTicket(digest, in: samples.application) {
                        left.append(ticket.user)
                    }
                }
                return (count, left)
            }
            try expectEqual(count, 2)
            try expectEqual(left, [other.id])
        },
        Contract("counts what makes a user's tickets void") { engine in
            let samples = Samples()
            let user = samples.user()
            let versions = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(user)
                var changed = user
                try transaction.voidTickets(of: &changed)
                try transaction.voidTickets(of: &changed)
                return [
                    changed.credentialsVersion,
                    try transaction.user(user.id, in: user.application)?.credentialsVersion ?? -1,
                ]
            }
            try expectEqual(versions, [2, 2])
        },
        Contract("lets no device stay that redeems a transfer code while everybody is logged out") { engine in
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            for _ in 0..<5 {
                let logIn = try await world.logIn(TestDevice(), to: application)
                let who = try await world.authenticate(logIn.token, in: application)
                let code = try await world.modules.transfers.issueTransferCode(by: who, isProven: false, from: .local)
                    .code.revealed
                let thief = TestDevice()
                _ = try await together(2) { number in
                    if number == 0 {
                        _ = try await world.modules.sessions.endOtherSessions(by: who, isProven: false, from: .local)
                    } else {
                        // The second one is refused.
                        _ = try? await world.modules.transfers.redeemTransferCode(
                            RedeemTransferCode.Request(
                                application: application, code: code, proof: try thief.presented(at: world.clock.now),
                                address: TestWorld.address, origin: .local))
                    }
                }
                let after = try await world.modules.directory.readUser(logIn.user.id, in: application.id)
                try expectEqual(after.identities.count, 1)
            }
        },
    ]
}

private func factor(of user: User, _ samples: Samples) -> TOTPFactor {
    TOTPFactor(
        id: .init(rawValue: "factor"), of: user.id, in: samples.application, name: "Phone", sealedKey: [1, 2, 3],
        lastStep: 7, createdAt: samples.now)
}

private func passkey(_ id: String, _ samples: Samples, signCount: Int64 = 7) -> Passkey {
    Passkey(
        Passkey.Credential(
            id: id, userHandle: "handle", publicKey: [1, 2, 3], aaguid: "00000000-0000-0000-0000-000000000000",
            signCount: signCount, transports: ["internal", "usb"], isBackupEligible: true, isBackedUp: false),
        application: samples.application, name: "Passkey", createdAt: samples.now)
}

private func code(_ number: UInt8, _ kind: MailKind, _ user: User, _ samples: Samples) -> MailedCode {
    MailedCode(
        application: samples.application, handle: samples.token(number), digest: samples.token(number + 100),
        kind: kind, user: user.id, address: "hana@example.com", replaces: nil, expiresAt: samples.now + .days(1))
}

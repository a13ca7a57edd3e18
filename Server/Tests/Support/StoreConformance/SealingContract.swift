import Domain
import Storage
import TestWorld

extension Contract {
    private static func key(first: UInt8 = 7, _ numbers: UInt8...) throws -> SealingKey {
        func bytes(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: SealingKey.byteCount) }
        guard let key = SealingKey(first: bytes(first), inOrder: numbers.map(bytes)) else {
            throw ContractFault(description: "no sealing key")
        }
        return key
    }

    /// Mails that are sealed as the queue seals them.
    private static func mails(_ count: Int, sealedBy key: SealingKey, in engine: any Engine) async throws {
        let world = try TestWorld(engine)
        let application = try await world.makeApplication()
        let mails = try (0..<count).map { number in
            let id = world.randomness.newIdentifier(at: world.clock.now) as Identifier<QueuedMail>
            let purpose = "mail \(application.id) \(id)"
            return QueuedMail(
                id: id, application: application.id, kind: .emailChanged,
                sealed: try key.seal([UInt8(clamping: number)], purpose: purpose), createdAt: world.clock.now,
                expiresAt: world.clock.now + .days(1), nextTryAt: world.clock.now)
        }
        try await engine.write { transaction throws(DomainError) in
            for mail in mails { try transaction.insert(mail) }
        }
    }

    private static func resealing(_ key: SealingKey, in engine: any Engine) throws -> ResealSecrets {
        let world = try TestWorld(engine)
        return ResealSecrets(
            store: engine, sealingKey: key,
            audit: AuditTrail(
                clock: world.clock, randomness: world.randomness, seals: AuditSeals(key), hasLimits: false))
    }

    static let sealingContracts = [
        Contract("seals everything again under the key that is first, over several pages, and once") { engine in
            let (old, both) = (try key(7), try key(8, 7))
            try await mails(450, sealedBy: old, in: engine)
            let signingKeys = try TestWorld(engine).modules.sessions.signingKeys
            let before = try await signingKeys().map(\.id)
            let reseal = try resealing(both, in: engine)
            let all = try await reseal.counts()[old.ids[0], default: 0]
            try expect(all > 450, "\(all)")
            let report = try await reseal(by: .local) { _ in }
            try expectEqual(report.resealed, all)
            try expectEqual(report.handled, all)
            try expectEqual(try await reseal.counts(), [both.ids[0]: all])
            try expectEqual(try await reseal(by: .local) { _ in }.handled, 0)
            try expectEqual(try await resealing(old, in: engine).missingKeys(), [both.ids[0]])
            let values = try await engine.read { transaction throws(DomainError) in
                try transaction.sealedValues(in: .signingKeys, after: nil, limit: 9)
            }
            try expectEqual(values.map { $0.row[0] }.sorted(), before.sorted())
        },
        Contract("seals the keys of Play Integrity again, which stand in the settings of applications") { engine in
            let (old, both) = (try key(7), try key(8, 7))
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            func app(_ package: String) throws -> AttestationRules.PlayApp {
                let secret = Secret(Base64URL.text(of: [UInt8](repeating: 5, count: 32)))
                let keys = try SealPlayKeys(sealingKey: old)(
                    decryptionKey: secret, verificationKey: PlayKeysSample.verificationKey, of: package,
                    in: application.id)
                return .init(
                    .init(packageName: package, certificates: [PlayKeysSample.certificate]), level: .device, keys: keys)
            }
            let apps = try [app("com.example.a"), app("com.example.b")]
            _ = try await world.modules.applications.changeApplication(
                application.id, isCurrent: { _ in true }, by: .local
            ) { $0.settings.attestation.set(apps) }
            func ids() async throws -> [String] {
                try await engine.read { transaction throws(DomainError) in
                    try transaction.sealedValues(in: .applicationSettings, after: nil, limit: 9).map {
                        SealingKey.id(of: $0.sealed)
                    }
                }
            }
            try expectEqual(try await ids(), [old.ids[0], old.ids[0]])
            let report = try await resealing(both, in: engine)(by: .local) { _ in }
            try expectEqual(report.unknown + report.damaged, 0)
            try expectEqual(try await ids(), [both.ids[0], both.ids[0]])
        },
        Contract("seals the secrets of hooks again, which stand in the settings of applications") { engine in
            let (old, both) = (try key(7), try key(8, 7))
            let application = try await TestWorld(engine).makeApplication()
            func purpose(_ point: HookPoint) -> String { "hook \(application.id) \(point.rawValue)" }
            var changed = application
            for point in HookPoint.allCases {
                var hook = Hook(
                    point, url: "https://app.example.com", whenDown: .refuse, createdAt: application.createdAt,
                    sealedSecret: try old.seal([1], purpose: purpose(point)))
                if point == .upgrade { hook.sealedFormer = try old.seal([2], purpose: purpose(point)) }
                changed.settings.set(hook)
            }
            let stored = changed
            try await engine.write { transaction throws(DomainError) in try transaction.update(stored) }
            let report = try await resealing(both, in: engine)(by: .local) { _ in }
            try expectEqual(report.unknown + report.damaged + report.changed, 0)
            let hooks = try await engine.read { transaction throws(DomainError) in
                try transaction.application(application.id)?.hooks
            }
            for hook in hooks ?? [] {
                try expectEqual(SealingKey.id(of: hook.sealedSecret), both.ids[0])
                try expectEqual(try both.open(hook.sealedSecret, purpose: purpose(hook.point)), [1])
                let former = try hook.sealedFormer.map { try both.open($0, purpose: purpose(hook.point)) }
                try expectEqual(former, hook.point == .upgrade ? [2] : nil)
            }
            try expectEqual(hooks?.count, HookPoint.allCases.count)
        },
        Contract("seals the secret of an old service again, which stands in the settings of its application") {
            engine in
            let (old, both) = (try key(7), try key(8, 7))
            let application = try await TestWorld(engine).makeApplication()
            let purpose = "old service \(application.id) supabase"
            var changed = application
            changed.settings.set(OldService(.firebase, audiences: ["my-game"]))
            changed.settings.set(
                OldService(
                    .supabase, issuer: "https://abc.supabase.co/auth/v1",
                    sealedSecret: try old.seal([3], purpose: purpose)))
            let stored = changed
            try await engine.write { transaction throws(DomainError) in try transaction.update(stored) }
            let report = try await resealing(both, in: engine)(by: .local) { _ in }
            try expectEqual(report.unknown + report.damaged + report.changed, 0)
            let services = try await engine.read { transaction throws(DomainError) in
                try transaction.application(application.id)?.oldServices
            }
            try expectEqual(services?.map(\.name), [.firebase, .supabase])
            try expectEqual(services?.first, OldService(.firebase, audiences: ["my-game"]))
            let sealed = services?.last?.sealedSecret ?? []
            try expectEqual(SealingKey.id(of: sealed), both.ids[0])
            try expectEqual(try both.open(sealed, purpose: purpose), [3])
        },
        Contract("changes no sealed value that another one changed meanwhile") { engine in
            let (old, both) = (try key(7), try key(8, 7))
            try await mails(3, sealedBy: old, in: engine)
            let answers = try await engine.write { transaction throws(DomainError) in
                let values = try transaction.sealedValues(in: .mailQueue, after: nil, limit: 9)
                let fresh = try both.seal([1], purpose: "any")
                return [
                    values.count == 3, try transaction.reseal(values[0], as: fresh),
                    try transaction.reseal(values[0], as: [1]),
                    try transaction.sealedValues(in: .mailQueue, after: values[1].row, limit: 9) == [values[2]],
                ]
            }
            try expectEqual(answers, [true, true, false, true])
        },
        Contract("reseals twice at once, and each value once") { engine in
            let (old, both) = (try key(7), try key(8, 7))
            try await mails(250, sealedBy: old, in: engine)
            let reseal = try resealing(both, in: engine)
            async let one = reseal(by: .local) { _ in }
            async let two = reseal(by: .local) { _ in }
            let reports = try await [one, two]
            let counts = try await reseal.counts()
            try expectEqual(counts[old.ids[0]], nil)
            try expectEqual(reports.map(\.resealed).reduce(0, +), counts[both.ids[0], default: 0])
        },
        Contract("leaves values alone whose key is not known, and counts them") { engine in
            try await mails(2, sealedBy: try key(first: 9, 9), in: engine)
            let report = try await resealing(try key(8, 7), in: engine)(by: .local) { _ in }
            try expectEqual(report.unknown, 2)
            try expectEqual(report.resealed, 0)
        },
    ]
}

/// What stands for an app of Google Play.
private enum PlayKeysSample {
    static let certificate = Array(repeating: "0A", count: 32).joined(separator: ":")
    /// The generator of P-256 as a public key in DER, in base64.
    static let verificationKey =
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q=="
}

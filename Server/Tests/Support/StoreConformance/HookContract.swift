import Domain
import Storage
import TestWorld

extension Contract {
    private static func hook(_ point: HookPoint, former: [UInt8]? = nil) -> Hook {
        let time = Timestamp(milliseconds: 1_800_000_000_000)
        var hook = Hook(
            point, url: "https://app.example.com/\(point.rawValue)", timeoutMilliseconds: 50, whenDown: .allow,
            asksGuests: point == .signUp, createdAt: time, sealedSecret: [1, 2, 3])
        hook.isPaused = point == .upgrade
        (hook.sealedFormer, hook.formerUntil) = (former, former.map { _ in time + .days(1) })
        return hook
    }

    static let hookContracts = [
        Contract("keeps an application's hooks with every member, and none where there are none") { engine in
            let world = try TestWorld(engine)
            let application = try await world.makeApplication()
            let hooks = HookPoint.allCases.map { hook($0, former: $0 == .upgrade ? [4, 5] : nil) }
            let read = try await engine.write { transaction throws(DomainError) in
                var known = application
                for hook in hooks { known.settings.set(hook) }
                try transaction.update(known)
                return try transaction.application(application.id)?.hooks
            }
            try expectEqual(read, hooks)
            try expectEqual(application.hooks, [])
        },
        Contract("keeps the old services of an application with every member, and none where there are none") {
            engine in
            let application = try await TestWorld(engine).makeApplication()
            let services = [
                OldService(.firebase, audiences: ["my-game"]),
                OldService(.supabase, issuer: "https://abc.supabase.co/auth/v1", sealedSecret: [1, 2, 3]),
                OldService(.cognito, issuer: "https://cognito-idp.example.com/pool", audiences: ["a", "b"]),
            ]
            let read = try await engine.write { transaction throws(DomainError) in
                var known = application
                for service in services { known.settings.set(service) }
                try transaction.update(known)
                return try transaction.application(application.id)?.oldServices
            }
            try expectEqual(read, services)
            try expectEqual(application.oldServices, [])
        },
        Contract("keeps what a newer program wrote among settings, and takes away what is taken away here") { engine in
            let id = try await TestWorld(engine).makeApplication().id
            let hook =
                #""url":"https://a.example","timeoutMilliseconds":50,"whenDown":"allow","createdAt":1,"#
                + #""sealedSecret":"AQ""#
            let newer = #"""
                {"hooks":[{"point":"tomorrow",\#(hook)},{"point":"sign-up","newer":2,\#(hook)}],"newer":[1],
                "mail":{"senderName":"Hana","templates":{"tomorrow":{"ja":{"subject":"s","text":"t"}}}},
                "redirectAddresses":["https://a.example/back"],"secondFactors":{"mode":"tomorrow","newer":3}}
                """#
            let (text, isRead) = try await engine.write { transaction throws(DomainError) in
                guard let sql = transaction as? SQLTransaction else { throw .storageUnavailable }
                try sql.connection.run(
                    "UPDATE applications SET settings = $1 WHERE id = $2", [.text(newer), .id(id)])
                guard var known = try transaction.application(id) else { throw .storageUnavailable }
                known.settings.proofRequired = true
                known.settings.mail.senderName = nil
                known.settings.redirectAddresses = []
                try transaction.update(known)
                let text = try sql.connection.row(
                    "SELECT settings FROM applications WHERE id = $1", [.id(id)]
                ) { row throws(DomainError) in row.only.text }
                return (text ?? "", try transaction.application(id) == known)
            }
            let kept = [
                #""newer":[1]"#, #""newer":2"#, #""newer":3"#, #""mode":"tomorrow""#, #""point":"tomorrow""#,
                #""tomorrow":{"ja""#, #""proofRequired":true"#,
            ]
            for part in kept { try expect(text.contains(part), "\(part) is gone: \(text)") }
            for part in ["Hana", "back"] { try expect(!text.contains(part), "\(part) came back: \(text)") }
            try expect(isRead, "the settings are others than those that were written")
        },
        Contract("takes away as a whole among settings what nobody could read without what is known here") { engine in
            let id = try await TestWorld(engine).makeApplication().id
            let newer = #"""
                {"mail":{"templates":{"log-in-code":{"ja":{"subject":"s","text":"t","newer":1}}}},
                "foreignSessions":{"ncmb":{"idleSeconds":60,"seconds":60,"newer":2}},"newer":[3]}
                """#
            let (text, isRead) = try await engine.write { transaction throws(DomainError) in
                guard let sql = transaction as? SQLTransaction else { throw .storageUnavailable }
                try sql.connection.run(
                    "UPDATE applications SET settings = $1 WHERE id = $2", [.text(newer), .id(id)])
                guard var known = try transaction.application(id), !known.settings.mail.templates.isEmpty,
                    !known.settings.foreignSessions.isEmpty
                else { throw .storageUnavailable }
                known.settings.mail.templates = [:]
                known.settings.foreignSessions = [:]
                try transaction.update(known)
                let text = try sql.connection.row(
                    "SELECT settings FROM applications WHERE id = $1", [.id(id)]
                ) { row throws(DomainError) in row.only.text }
                return (text ?? "", try transaction.application(id) == known)
            }
            try expect(text.contains(#""newer":[3]"#), "what is newer is gone: \(text)")
            try expect(isRead, "the settings are others than those that were written")
        },
        Contract("keeps what a newer program wrote of a provider, of a protocol's keys and of what demands a factor") {
            engine in
            var application = try await TestWorld(engine).makeApplication()
            var provider = StoredProvider(
                application: application.id,
                settings: ProviderSettings(provider: .apple, audiences: ["a"], teamId: "TEAM123456"),
                sealedSecret: nil, updatedAt: application.createdAt)
            var keys = ProtocolKeySet(
                application: application.id, protocolName: .endless, publicKey: "app-\(application.id)")
            let before = (provider, keys)
            provider.settings = ProviderSettings(provider: .apple, audiences: ["b"])
            keys.sealed = [.sealed: [1, 2, 3]]
            application.settings.secondFactors.demandedFor = [.deletionRequested]
            let (later, moreKeys, demanding) = (provider, keys, application)
            let (texts, isRead) = try await engine.write { transaction throws(DomainError) in
                guard let sql = transaction as? SQLTransaction else { throw .storageUnavailable }
                let id = demanding.id
                try transaction.save(before.0)
                try transaction.save(before.1)
                try sql.connection.run(
                    "UPDATE providers SET settings = $1 WHERE application_id = $2",
                    [.text(#"{"audiences":["a"],"newer":{"x":1},"teamId":"TEAM123456"}"#), .id(id)])
                try sql.connection.run(
                    "UPDATE protocol_keys SET keys = $1 WHERE application_id = $2",
                    [.text(#"{"digests":{},"newer":{"x":1},"sealed":{}}"#), .id(id)])
                try sql.connection.run(
                    "UPDATE applications SET settings = $1 WHERE id = $2",
                    [.text(#"{"secondFactors":{"demandedFor":["tomorrow"],"newer":{"x":1}}}"#), .id(id)])
                try transaction.save(later)
                try transaction.save(moreKeys)
                try transaction.update(demanding)
                let texts = [
                    try sql.connection.row("SELECT settings FROM providers WHERE application_id = $1", [.id(id)]) {
                        row throws(DomainError) in row.only.text
                    },
                    try sql.connection.row("SELECT keys FROM protocol_keys WHERE application_id = $1", [.id(id)]) {
                        row throws(DomainError) in row.only.text
                    },
                    try sql.connection.row("SELECT settings FROM applications WHERE id = $1", [.id(id)]) {
                        row throws(DomainError) in row.only.text
                    },
                ]
                let isProvider = try transaction.providers(of: id) == [later]
                let areKeys = try transaction.protocolKeys(of: id) == [moreKeys]
                let isApplication = try transaction.application(id) == demanding
                return (texts.map { $0 ?? "" }, [isProvider, areKeys, isApplication])
            }
            for text in texts { try expect(text.contains(#""newer":{"x":1}"#), "what is newer is gone: \(text)") }
            try expect(texts[2].contains(#""tomorrow""#), "a word that is newer is gone: \(texts[2])")
            try expect(!texts[0].contains("TEAM123456"), "the team came back: \(texts[0])")
            try expectEqual(isRead, [true, true, true])
        },
    ]
}

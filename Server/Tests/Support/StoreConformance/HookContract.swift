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
    ]
}

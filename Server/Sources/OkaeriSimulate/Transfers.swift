import Domain
import TestWorld

/// Accounts that move and become one.
extension Simulation {
    /// Gives a transfer code to one device and redeems it on another.
    func transfer(from device: Device, _ person: Person, to other: Device, in application: Application) async {
        await logIn(device, in: application)
        // Before the request: a leap of the clock may come between the code and its answer.
        let issuedAt = now
        guard device.person === person, let session = person.sessions.last, session.device === device,
            let who = await authenticate(session, in: application),
            case .done(let issued) = await call(
                "issue a transfer code",
                { try await $0.modules.transfers.issueTransferCode(by: who, isProven: false, from: Self.origin) })
        else { return }
        var code = issued.code.revealed
        if generator.isOne(in: 4) {
            switch await call(
                "replace a transfer code",
                { try await $0.modules.transfers.issueTransferCode(by: who, isProven: false, from: Self.origin) })
            {
            case .done(let again):
                spentCodes.append(code)
                code = again.code.revealed
            case .refused, .unknown: return
            }
        }
        let isWithdrawn = generator.isOne(in: 6)
        if isWithdrawn {
            let outcome = await call("withdraw a transfer code") {
                try await $0.modules.transfers.withdrawTransferCode(by: who, from: Self.origin)
            }
            guard case .done = outcome else { return }
            spentCodes.append(code)
        }
        var before = other.person
        let isFirst = other.isUnknown
        switch await redeem(code, on: other, in: application) {
        case .done(let redeemed):
            remark("device \(other.index) leaves \(before?.id.rawValue ?? "nobody") for \(person.id.rawValue)")
            if isWithdrawn { violate("a withdrawn transfer code works") }
            if redeemed.logIn.user.id != person.id { violate("a transfer code leads to another user") }
            if isFirst, redeemed.leftUser != nil { violate("a new key had a user") }
            before = before ?? redeemed.leftUser.flatMap { persons[$0.id] }
            if let before, before !== person {
                bury(before.end(isSure: true) { $0.device === other && $0.isBound })
                if redeemed.leftUser == nil, before.mayBeErased(at: now) {
                    before.standing = .erased
                } else if redeemed.leftUser?.id != before.id {
                    violate("a transfer left another user")
                }
                if redeemed.leftUser?.erasedAt != nil { before.leavingSince = before.leavingSince ?? now }
            }
            other.person = person
            let session = OpenSession(redeemed.logIn, of: person, on: other, isBound: true)
            person.sessions.append(session)
            other.sessions.append(session)
            spentCodes.append(code)
        case .unknown:
            other.person = nil
            other.doubtSessions()
            // The person to whom it led may be out of reach, and on the way out.
            for left in other.mayLeadTo where left !== person {
                _ = left.end(isSure: false)
                if left.standing != .erased { left.standing = .unsure }
            }
            other.mayLeadTo.append(person)
        case .refused(let error):
            let isOld = now - issuedAt > .seconds(80_000)
            if !isWithdrawn, !isOld, error.code != .clockSkew { violate("a transfer code is refused: \(error)") }
        }
        await redeemSpent(in: application)
    }

    private func redeem(
        _ code: String, on device: Device, in application: Application
    ) async -> Outcome<RedeemTransferCode.Redeemed> {
        guard let proof = proof(of: device) else { return .unknown }
        device.isUnknown = false
        return await call("redeem a transfer code") {
            try await $0.modules.transfers.redeemTransferCode(
                .init(application: application, code: code, proof: proof, address: Self.address, origin: Self.origin))
        }
    }

    /// A code that is spent works for nobody else.
    private func redeemSpent(in application: Application) async {
        if spentCodes.count > 500 { spentCodes.removeFirst(250) }
        guard !spentCodes.isEmpty, let stranger = try? Device(devices.count, &generator) else { return }
        stranger.set(to: now, at: now)
        switch await redeem(generator.pick(spentCodes), on: stranger, in: application) {
        case .done: violate("a spent transfer code works again")
        case .refused(let error):
            if error.code != .transferCodeRefused, error.code != .clockSkew {
                violate("a spent transfer code is refused otherwise: \(error)")
            }
        case .unknown: break
        }
    }

    /// An operator lets one user take over an anonymous one.
    func merge(_ left: Person, into person: Person, in application: Application) async {
        guard left.username == nil, !left.hasUnsureNames else { return }
        remark("user \(left.id.rawValue) is merged into \(person.id.rawValue)")
        let outcome = await call("merge") {
            try await $0.modules.administration.users.merge(left.id, into: person.id, in: application, by: .local)
        }
        switch outcome {
        case .done:
            for device in devices where device.person === left { device.person = person }
            for session in left.sessions { session.end(isSure: false) }
            left.sessions = []
            left.standing = .erased
        case .unknown:
            for device in devices where device.person === left { device.person = nil }
            _ = left.end(isSure: false)
            left.standing = .unsure
            person.hasUnsureNames = person.hasUnsureNames || left.username != nil
        case .refused(let error):
            let isGone = [left, person].contains { $0.standing != .active || $0.leavingSince != nil }
            if error.code != .alreadyRegistered, !isGone { violate("a merge is refused: \(error)") }
        }
    }
}

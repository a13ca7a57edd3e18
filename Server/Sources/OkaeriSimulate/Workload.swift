import Domain
import TestWorld

/// Which client does what next.
extension Simulation {
    typealias Operation = @Sendable (Simulation) async -> Void

    static let address = ClientAddress(text: "192.0.2.7", allowanceGroup: "192.0.2.7")
    static let origin = RequestOrigin(address: "192.0.2.7")

    /// Draws what is done next; `nil` when everybody who was drawn is busy.
    func nextOperation() -> Operation? {
        guard let application else { return nil }
        for _ in 0..<8 {
            if let drawn = draw(in: application) { return drawn }
        }
        return nil
    }

    private func draw(in application: Application) -> Operation? {
        let lot = generator.number(below: 1000)
        if lot < 150, let session = pickEnded() {
            guard !session.person.isBusy else { return nil }
            return locked([], [session.person]) { await $0.useEnded(session, in: application) }
        }
        if lot < 170 { return locked([], []) { await $0.doTheMinutesWork() } }
        if lot < 300 { return drawMember(lot, in: application) }
        if lot < 312 { return drawImport(in: application) }
        let device = generator.pick(devices)
        guard !device.isBusy, device.person?.isBusy != true else { return nil }
        let persons = [device.person].compactMap { $0 }
        // A device that is new, or does not know where it is, logs in.
        guard let person = device.person else {
            return locked([device], []) { await $0.logIn(device, in: application) }
        }
        switch lot {
        case ..<550: return locked([device], persons) { await $0.useSession(of: person, in: application) }
        case ..<740: return locked([device], persons) { await $0.logIn(device, in: application) }
        case ..<770: return locked([device], persons) { await $0.repeatProof(of: device, in: application) }
        case ..<810: return locked([device], persons) { await $0.logOut(person, in: application) }
        case ..<850: return locked([device], persons) { await $0.upgrade(device, person, in: application) }
        case ..<900: return locked([device], persons) { await $0.logInByPassword(person, in: application) }
        case ..<920: return locked([device], persons) { await $0.changePassword(device, person, in: application) }
        case ..<935: return locked([device], persons) { await $0.endOthers(device, person, in: application) }
        case ..<955: return locked([device], persons) { await $0.delete(device, person, in: application) }
        case ..<962: return locked([device], persons) { await $0.disable(person, in: application) }
        case ..<969: return locked([device], persons) { await $0.actAsOperator(on: person, in: application) }
        default:
            let other = generator.pick(devices)
            guard other !== device, !other.isBusy, other.person?.isBusy != true, other.person !== person else {
                return nil
            }
            let all = persons + [other.person].compactMap { $0 }
            if lot < 974, let joined = other.person {
                return locked([device, other], all) { await $0.merge(joined, into: person, in: application) }
            }
            return locked([device, other], all) { await $0.transfer(from: device, person, to: other, in: application) }
        }
    }

    /// Nobody else changes what these expect meanwhile.
    func locked(
        _ devices: [Device], _ persons: [Person], _ body: @escaping (Simulation) async -> Void
    ) -> Operation {
        for device in devices { device.isBusy = true }
        for person in persons { person.isBusy = true }
        let held = Held(devices: devices, persons: persons, body: body)
        return { simulation in
            await held.body(simulation)
            for device in held.devices { device.isBusy = false }
            for person in held.persons { person.isBusy = false }
        }
    }

    // Unchecked: a simulation runs on one thread.
    private final class Held: @unchecked Sendable {
        let devices: [Device]
        let persons: [Person]
        let body: (Simulation) async -> Void

        init(devices: [Device], persons: [Person], body: @escaping (Simulation) async -> Void) {
            (self.devices, self.persons, self.body) = (devices, persons, body)
        }
    }

    /// A device's proof, by its own clock.
    func proof(of device: Device) -> PresentedProof? {
        try? device.key.presented(at: device.time(at: now), identifier: device.nextName())
    }

    /// What the server does every minute.
    func doTheMinutesWork() async {
        await writeActivity()
        _ = await call("purge", mayLose: false) { try await $0.modules.sessions.purgeExpired() }
        _ = await call("erase", mayLose: false) { try await $0.modules.deletion.eraseDeletedUsers() }
        await deliverMail()
        _ = await call("chain", mayLose: false) { try await $0.modules.administration.audit.chain() }
    }
}

/// Second factors of users: codes of authenticator apps, and recovery codes.
package final class SecondFactors: Sendable {
    package let enrolTOTP: EnrolTOTP
    package let manageSecondFactors: ManageSecondFactors
    package let logInWithSecondFactor: LogInWithSecondFactor
    let check: SecondFactorCheck

    init(_ world: DomainWorld, changes: AccountChanges, rateLimiter: RateLimiter) {
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        let recoveryCodes = UserRecoveryCodes(sealingKey: world.sealingKey)
        check = SecondFactorCheck(
            sealingKey: world.sealingKey, rateLimiter: rateLimiter, hasLimits: world.limits.hasRateLimits,
            recoveryCodes: recoveryCodes, hasDelays: world.limits.hasPasswordDelays)
        enrolTOTP = EnrolTOTP(
            store: store, clock: clock, randomness: randomness, sealingKey: world.sealingKey,
            recoveryCodes: recoveryCodes, changes: changes)
        manageSecondFactors = ManageSecondFactors(
            store: store, clock: clock, randomness: randomness, recoveryCodes: recoveryCodes, changes: changes)
        logInWithSecondFactor = LogInWithSecondFactor(
            store: store, clock: clock, issuers: SessionIssuers(world, changes: changes), check: check,
            enrolTOTP: enrolTOTP,
            changes: changes)
    }
}

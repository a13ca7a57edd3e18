/// Transfer codes, by which an account comes to another device, and merges of two accounts into one.
package final class Transfers: Sendable {
    package let issueTransferCode: IssueTransferCode
    package let withdrawTransferCode: WithdrawTransferCode
    package let redeemTransferCode: RedeemTransferCode
    package let undoTransfer: UndoTransfer
    package let listNotices: ListNotices
    package let acknowledgeNotice: AcknowledgeNotice
    package let previewMerge: PreviewMerge
    package let resolveMerge: ResolveMerge
    package let undoMerge: UndoMerge

    init(
        _ world: DomainWorld, changes: AccountChanges, rateLimiter: RateLimiter
    ) {
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        let issuers = SessionIssuers(world, changes: changes)
        let transferHash = world.sealingKey.keyedHash(purpose: "okaeri transfer code")
        issueTransferCode = IssueTransferCode(
            store: store, clock: clock, randomness: randomness, hash: transferHash, rateLimiter: rateLimiter,
            limit: world.limits.hasRateLimits ? .transferCodesIssued : nil, changes: changes)
        withdrawTransferCode = WithdrawTransferCode(store: store, clock: clock, changes: changes)
        redeemTransferCode = RedeemTransferCode(
            store: store, clock: clock, randomness: randomness, issuers: issuers, hash: transferHash,
            rateLimiter: rateLimiter, attempts: world.limits.hasRateLimits ? .transferCodeAttempts : nil,
            changes: changes)
        undoTransfer = UndoTransfer(store: store, clock: clock, changes: changes)
        listNotices = ListNotices(store: store)
        acknowledgeNotice = AcknowledgeNotice(store: store, clock: clock, changes: changes)
        previewMerge = PreviewMerge(store: store, clock: clock)
        resolveMerge = ResolveMerge(
            store: store, clock: clock, randomness: randomness, issuers: issuers, changes: changes)
        undoMerge = UndoMerge(store: store, clock: clock, changes: changes)
    }
}

/// Mails and text messages: who asks for them, their queue and their delivery.
package final class Messaging: Sendable {
    package let requestLogInCode: RequestLogInCode
    package let requestEmailVerification: RequestEmailVerification
    package let requestPasswordReset: RequestPasswordReset
    package let requestTextedReset: RequestTextedReset
    package let verificationCodes: VerificationCodes
    package let deliverMail: DeliverMail
    package let listQueuedMail: ListQueuedMail
    package let manageQueuedMail: ManageQueuedMail
    package let readOutbox: ReadOutbox
    package let changeMailSettings: ChangeMailSettings
    package let previewMail: PreviewMail
    package let sendTestMail: SendTestMail
    /// Tells when there is mail to send.
    package let mailQueueSignal: QueueSignal
    let enqueueMessage: EnqueueMessage
    let tryCode: TryCode

    init(
        _ world: DomainWorld, audit: AuditTrail, rateLimiter: RateLimiter, findApplication: FindApplication
    ) {
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        let sealing = MailSealing(key: world.sealingKey, randomness: randomness)
        let digests = CodeDigests(key: world.sealingKey)
        tryCode = TryCode(
            store: store, clock: clock, digests: digests, rateLimiter: rateLimiter,
            triesForClient: AddressLimit(TryCode.triesForClient, ofOldApps: world.limits.oldApps.codeTries),
            hasLimits: world.limits.hasRateLimits)
        enqueueMessage = EnqueueMessage(
            store: store, clock: clock, sealing: sealing, rateLimiter: rateLimiter,
            deliveries: .init(mail: world.services.mailDelivery, text: world.services.textDelivery),
            pagesURL: world.services.pagesURL,
            ordersForClient: AddressLimit(EnqueueMessage.ordersForClient, ofOldApps: world.limits.oldApps.mails),
            hasLimits: world.limits.hasRateLimits)
        requestLogInCode = RequestLogInCode(enqueueMessage: enqueueMessage, randomness: randomness)
        requestEmailVerification = RequestEmailVerification(
            enqueueMessage: enqueueMessage, clock: clock)
        requestPasswordReset = RequestPasswordReset(enqueueMessage: enqueueMessage)
        requestTextedReset = RequestTextedReset(enqueueMessage: enqueueMessage)
        verificationCodes = VerificationCodes(enqueueMessage: enqueueMessage, digests: digests)
        deliverMail = DeliverMail(
            store: store, clock: clock, randomness: randomness, sealing: sealing, delivery: world.services.mailDelivery,
            textDelivery: world.services.textDelivery, findApplication: findApplication,
            renderMessage: RenderMessage(
                store: store, clock: clock, randomness: randomness, sealing: sealing, digests: digests,
                renderer: world.services.mailRenderer),
            lanes: SharedLanes(DeliverMail.lanes, share: .thirdOfFree))
        listQueuedMail = ListQueuedMail(store: store)
        manageQueuedMail = ManageQueuedMail(store: store, clock: clock, audit: audit)
        readOutbox = ReadOutbox(store: store, sealingKey: world.sealingKey)
        changeMailSettings = ChangeMailSettings(
            findApplication: findApplication, editApplication: EditApplication(world, audit: audit))
        previewMail = PreviewMail(
            clock: clock, pagesURL: world.services.pagesURL, renderer: world.services.mailRenderer)
        sendTestMail = SendTestMail(
            store: store, clock: clock, preview: previewMail, sealing: sealing, delivery: world.services.mailDelivery,
            rateLimiter: rateLimiter, audit: audit)
        mailQueueSignal = QueueSignal()
    }
}

/// Takes the order for a mail or a text message. It costs the same whether or not there is anybody to send it to: who
/// that is, is found out after the answer (requirement 10).
package struct EnqueueMessage: Sendable {
    /// Orders from one address or /64 network, by apps on Okaeri's own protocol.
    package static let ordersForClient = RateLimit.hourly(30)
    /// Orders of one kind for one mail address, known or not, from one address or /48 network.
    package static let ordersForAddress = RateLimit.hourly(5)
    /// The same from wherever they come: nobody is buried in mail, and nobody alone uses up what its owner may order.
    package static let allOrdersForAddress = RateLimit.hourly(15)
    /// Orders of all kinds of all applications for one mail address, from one address or /48 network: as many as one application takes of
    /// its four kinds. Who has nothing to do with any of them would get as many from each.
    package static let ordersOfAllApplications = RateLimit.hourly(20)
    /// The same from wherever they come.
    package static let allOrdersOfAllApplications = RateLimit.hourly(60)

    let store: any Store
    let clock: any WallClock
    let sealing: MailSealing
    let rateLimiter: RateLimiter
    let deliveries: Deliveries
    /// The server's own address; `nil` while it is not set. Never taken from a request, whose sender could make mails
    /// lead elsewhere.
    let pagesURL: String?
    /// Orders from one address or /64 network: those of old apps come through the few addresses of a carrier.
    let ordersForClient: AddressLimit
    let hasLimits: Bool

    /// By which way messages leave.
    struct Deliveries: Sendable {
        let mail: MailDelivery
        let text: TextMessageDelivery

        func isAvailable(for kind: MailKind) -> Bool { kind.isText ? text.isAvailable : mail.isAvailable }
    }

    /// - Parameters:
    ///   - message: What is ordered.
    ///   - application: Where.
    ///   - client: Who orders.
    ///   - toPages: Whether the mail may lead to this server's own pages.
    /// - Returns: how long the code will be good.
    /// - Throws: `mailUnavailable`, `rateLimited`, `storageUnavailable`.
    package func callAsFunction(
        _ message: MessageRequest, in application: Application, from client: ClientAddress, toPages: Bool = false
    ) async throws(DomainError) -> Duration {
        let (mail, form) = try await ready(message, in: application, from: client, toPages: toPages)
        try await store.writeStatement { transaction throws(DomainError) in try transaction.insert(mail) }
        return form.life
    }

    /// Counts an order and makes its message ready for the queue.
    ///
    /// - Returns: the message, and the form of its code.
    /// - Throws: what `callAsFunction` throws.
    func ready(
        _ message: MessageRequest, in application: Application, from client: ClientAddress, toPages: Bool
    ) async throws(DomainError) -> (mail: QueuedMail, form: CodeForm) {
        guard deliveries.isAvailable(for: message.kind) else { throw .mailUnavailable }
        try await count(message, in: application.id, from: client)
        var message = message
        if toPages { message.pages = pages(of: application) }
        let hasLink = application.settings.mail.link(for: message.kind, token: "", pages: message.pages) != nil
        let form = CodeForm.form(of: message.kind, hasLink: hasLink)
        let mail = try sealing.queued(
            .request(message), of: message.kind, in: application.id, at: clock.now, life: form.life)
        return (mail, form)
    }

    /// Counts an order, also one whose response tells that somebody has the address, for which no message goes out.
    ///
    /// - Throws: `rateLimited`, `storageUnavailable`.
    func count(
        _ message: MessageRequest, in application: Identifier<Application>, from client: ClientAddress
    ) async throws(DomainError) {
        guard hasLimits else { return }
        let folded = LogInIdentifier(message.kind.addressKind, shown: message.address).folded
        let subject = sealing.key.digest(of: application.rawValue, folded, purpose: "mail address")
        try await rateLimiter(kind: "mail-orders", in: application, from: client, limit: ordersForClient)
        let name = Base64URL.text(of: subject.bytes)
        try await rateLimiter(
            RateLimitKey(
                application: application, kind: "mail-from-\(message.kind.rawValue)",
                subject: "\(name) \(client.ownerGroup)"),
            limit: Self.ordersForAddress)
        try await rateLimiter(
            RateLimitKey(application: application, kind: "mail-\(message.kind.rawValue)", subject: name),
            limit: Self.allOrdersForAddress)
        let everywhere = sealing.key.digest(of: AuditEntry.server.rawValue, folded, purpose: "mail address")
        let person = Base64URL.text(of: everywhere.bytes)
        try await rateLimiter(
            RateLimitKey(
                application: AuditEntry.server, kind: "mail-from", subject: "\(person) \(client.ownerGroup)"),
            limit: Self.ordersOfAllApplications)
        try await rateLimiter(
            RateLimitKey(application: AuditEntry.server, kind: "mail", subject: person),
            limit: Self.allOrdersOfAllApplications)
    }

    /// Where this server's own pages for an application are; `nil` while nobody said where the server is.
    func pages(of application: Application) -> String? {
        pagesURL.map { "\($0)/a/\(application.id.rawValue)" }
    }

    /// A mail address as somebody typed it.
    ///
    /// - Throws: `fieldsRefused` when it is none.
    static func address(_ typed: String) throws(DomainError) -> String {
        guard let address = MailAddress(typed) else {
            throw .fieldsRefused([ValidationError(field: "email", rule: .notAMailAddress)])
        }
        return address.text
    }

    /// As `address`, for a user. Imports keep an address as it was written: who types it has no other one.
    ///
    /// - Throws: `fieldsRefused` when it is none.
    static func address(_ typed: String, of user: User) throws(DomainError) -> String {
        let address = try address(typed)
        guard let present = user.email, MailAddress(present)?.text == address else { return address }
        return present
    }

    /// A phone number as somebody typed it.
    ///
    /// - Throws: `fieldsRefused` when it is none.
    static func number(_ typed: String) throws(DomainError) -> String {
        guard let number = PhoneNumber(typed) else {
            throw .fieldsRefused([ValidationError(field: "phone", rule: .notAPhoneNumber)])
        }
        return number.text
    }
}

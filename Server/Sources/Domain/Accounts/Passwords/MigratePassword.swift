import enum OkaeriWire.JSONValue

/// Asks the service that users come from about a password that is not right here, and takes over what it vouches for: a user
/// whom nobody knew, or the password of one who was imported without it.
///
/// A known user gets a password only where the response has that user's id as `sub` (decision 0135): imports keep ids, while a
/// name or an unverified address may be another person's there.
///
/// It is asked about every password that is not right, so that neither the response nor its time tells who is known here; what
/// it says of users whose password is known here is not heard.
struct MigratePassword: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let passwords: any PasswordHashing
    let changes: AccountChanges
    let askHook: AskHook

    /// - Parameters:
    ///   - outcome: The comparison that refused, counted already.
    ///   - candidates: What was typed, the likeliest meaning first.
    ///   - password: As typed.
    ///   - hook: Who is asked.
    ///   - application: Where.
    ///   - address: Where the request came from.
    ///   - origin: The same, for the audit log.
    /// - Returns: whether a comparison would end in another way now.
    /// - Throws: `hookUnavailable` when there is no response and the operator chose to refuse then; `busy`, `storageUnavailable`.
    func callAsFunction(
        _ outcome: PasswordCheck.Outcome, _ candidates: [LogInIdentifier], password: Secret, _ hook: Hook,
        in application: Application, from address: ClientAddress, _ origin: RequestOrigin
    ) async throws(DomainError) -> Bool {
        guard let typed = outcome.typed, let identifier = candidates.first else { return false }
        let now = clock.now
        let id: Identifier<User> = randomness.newIdentifier(at: now)
        // Of nobody in particular: the question is the same whether somebody is known here or not.
        var subject = HookSubject(User(id: id, application: application.id, createdAt: now, updatedAt: now))
        subject.logIn = (identifier, password)
        subject.address = origin.address
        let said: (fields: [String: JSONValue], claims: [String: JSONValue])?
        do throws(DomainError) {
            let asked = subject
            said = try await askHook(hook, about: asked, in: application) { fields, claims in
                MigratedUser.reason(against: fields, claims, of: asked, in: application, at: now)
            }
        } catch {
            // Who is refused there hears what everybody hears.
            guard error.code == .hookRefused else { throw error }
            return false
        }
        guard let said, outcome.mayTry, !outcome.hasHash else { return false }
        let new = NewPassword(typed, field: "password", mustBeUnknown: false)
        if let known = outcome.user {
            guard said.claims["sub"] == .string(known.rawValue) else {
                // The client hears of a wrong password, so that nobody learns who is known here.
                askHook.observer.faults.note(
                    "the hook \(hook.point.rawValue) of \(application.id): sub is not the id of the user \(known), who gets no password"
                )
                return false
            }
            return try await takePassword(new, for: known, in: application, from: origin)
        }
        let user = MigratedUser.user(
            said.fields, said.claims, subject.user, identifier: identifier, in: application, at: now
        ).user
        return try await make(user, with: new, in: application, from: address, origin)
    }

    private func make(
        _ user: User, with new: NewPassword, in application: Application, from address: ClientAddress,
        _ origin: RequestOrigin
    ) async throws(DomainError) -> Bool {
        var draft = UserRegistration(
            importing: user, by: .migration, faults: [], hash: nil, isWeak: false, into: application)
        let hash = try await passwords.hash(new: new, for: .application(application.id))
        try draft.prepare(new.password, hash, from: address, origin, changes)
        let registration = draft
        do throws(DomainError) {
            return try await store.write { transaction throws(DomainError) in
                // Known by the id: another log-in of the same person was first, or the id is somebody else's here. The
                // comparison tells which.
                guard try transaction.user(user.id, in: user.application) == nil else { return true }
                _ = try registration.store(in: transaction, joining: nil, session: nil)
                return true
            }
        } catch {
            // Another log-in of the same person was first, or the service named an address that somebody has here: the
            // comparison tells which.
            guard case .identifiers = error.detail else { throw error }
            return true
        }
    }

    private func takePassword(
        _ new: NewPassword, for id: Identifier<User>, in application: Application, from origin: RequestOrigin
    ) async throws(DomainError) -> Bool {
        let before = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application.id)
        }
        guard let before else { return false }
        // Such a password is taken away as soon as a device key leads to the user, and does not come back.
        guard !new.password.isName(of: before) || !before.identities.contains(where: { $0.provider == .device }) else {
            return false
        }
        let change = try await CredentialChange(.passwordMigrated, to: new, of: before, hashing: passwords)
        let ready = changes.audit.ready(
            atLogIn: .passwordMigrated, in: application.id, from: origin, at: clock.now)
        return try await store.write { transaction throws(DomainError) in
            // A password that was set meanwhile counts.
            guard try transaction.passwordHash(of: id, in: application.id) == nil,
                var user = try transaction.user(id, in: application.id)
            else { return true }
            _ = try change.store(for: &user, with: ready, keeping: .nothing, by: .server, in: transaction)
            return true
        }
    }
}

/// A user as the service of before tells of it, by the standard claims of OpenID Connect (Core §5.1).
enum MigratedUser {
    private static let known: Set<String> = [
        "sub", "preferred_username", "email", "email_verified", "phone_number", "phone_number_verified", "name",
        "locale",
    ]

    /// What is wrong with a response, in words; `nil` for nothing.
    static func reason(
        against fields: [String: JSONValue], _ claims: [String: JSONValue], of subject: HookSubject,
        in application: Application, at now: Timestamp
    ) -> String? {
        guard let typed = subject.logIn?.identifier else { return DeliveryFault.text(.hookNothingTyped) }
        if let name = claims.keys.sorted().first(where: { !known.contains($0) }) {
            return DeliveryFault.text(.hookClaimUnknown, String(name.unicodeScalars.prefix(64)))
        }
        let (user, faults) = user(fields, claims, subject.user, identifier: typed, in: application, at: now)
        if let fault = faults.first { return DeliveryFault.text(.hookUserMalformed, fault) }
        guard user.identifier(typed.kind).map({ LogInIdentifier(typed.kind, shown: $0).isSame(as: typed) }) ?? false
        else { return DeliveryFault.text(.hookUserOther, typed.kind.rawValue) }
        let limits = application.settings.fieldRules.limits
        if let fault = ImportUsers.faults(in: user, within: limits).first {
            return DeliveryFault.text(.hookUserRefused, fault.field)
        }
        do {
            _ = try UserRegistration(
                importing: user, by: .migration, faults: [], hash: nil, isWeak: false, into: application
            ).completed()
            return nil
        } catch {
            return DeliveryFault.text(.hookFieldRefused, error.validationErrors?.first?.field ?? "the user")
        }
    }

    /// The user, and which claims have not their form.
    static func user(
        _ fields: [String: JSONValue], _ claims: [String: JSONValue], _ id: Identifier<User>,
        identifier: LogInIdentifier, in application: Application, at now: Timestamp
    ) -> (user: User, faults: [String]) {
        var faults: [String] = []
        func text(_ name: String) -> String? {
            switch claims[name] {
            case nil, .null?: return nil
            case .string(let text)? where !text.isEmpty: return text
            default:
                faults.append(name)
                return nil
            }
        }
        func flag(_ name: String) -> Bool {
            switch claims[name] {
            case nil, .null?, .bool(false)?: return false
            case .bool(true)?: return true
            default:
                faults.append(name)
                return false
            }
        }
        var user = User(
            id: text("sub").map(Identifier.init(rawValue:)) ?? id, application: application.id,
            displayName: text("name"), locale: text("locale"), fields: fields, createdAt: now, updatedAt: now)
        user.username = text("preferred_username")
        user.email = text("email")
        user.phone = text("phone_number").map { PhoneNumber($0)?.text ?? $0 }
        // What was typed leads to the user, also where the service says nothing of it.
        switch identifier.kind {
        case .username: user.username = user.username ?? identifier.shown
        case .email: user.email = user.email ?? identifier.shown
        case .phone: user.phone = user.phone ?? identifier.shown
        }
        let (isEmailVerified, isPhoneVerified) = (flag("email_verified"), flag("phone_number_verified"))
        if user.email != nil, isEmailVerified { user.emailVerifiedAt = now }
        if user.phone != nil, isPhoneVerified { user.phoneVerifiedAt = now }
        return (user, faults)
    }
}

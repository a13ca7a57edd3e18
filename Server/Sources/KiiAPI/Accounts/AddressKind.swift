import Domain

/// The two kinds of address that a user can have.
enum AddressKind: CaseIterable, Sendable {
    case email, phone

    var pathName: String { self == .email ? "email-address" : "phone-number" }
    var member: String { self == .email ? "emailAddress" : "phoneNumber" }
    var mediaType: String {
        KiiResponse.mediaType(self == .email ? "EmailAddressRetrievalResponse" : "PhoneNumberRetrievalResponse")
    }

    init?(_ kind: LogInIdentifier.Kind) {
        switch kind {
        case .email: self = .email
        case .phone: self = .phone
        case .username: return nil
        }
    }

    /// What verifies such an address.
    var mailKind: MailKind { self == .email ? .emailVerification : .phoneVerification }

    /// Whether such addresses count only once they were verified.
    func isDemanded(_ options: ForeignOptions) -> Bool {
        self == .email ? options.demandsVerifiedEmail : options.demandsVerifiedPhone
    }

    func isVerified(of user: User) -> Bool {
        (self == .email ? user.emailVerifiedAt : user.phoneVerifiedAt) != nil
    }

    /// Whether the user's address of this kind counts.
    func counts(of user: User, _ options: ForeignOptions) -> Bool { !isDemanded(options) || isVerified(of: user) }

    /// The user's address.
    ///
    /// - Throws: `KiiFault` 404 when there is none.
    func address(of user: User) throws(KiiFault) -> String {
        guard let address = self == .email ? user.email : user.phone else {
            throw KiiFault(404, "USER_ADDRESS_NOT_FOUND", "UserAddressNotFound", "The user has no such address")
        }
        return address
    }
}

extension NewIdentifiers {
    /// An address that is to be set; `nil` for no change.
    subscript(kind: AddressKind) -> String? {
        if case .set(let address) = kind == .email ? email : phone { address } else { nil }
    }

    /// Takes new addresses out that must be verified before they take the place of one that is: that one stays until
    /// then. An administrator's word counts at once.
    mutating func takePendingAddresses(
        of user: User, by caller: KiiCaller, in enabled: EnabledProtocol
    ) -> [AddressKind: String] {
        guard caller.session != nil else { return [:] }
        var pending: [AddressKind: String] = [:]
        for kind in AddressKind.allCases where kind.isDemanded(enabled.options) && kind.isVerified(of: user) {
            guard let address = self[kind], address != (kind == .email ? user.email : user.phone) else { continue }
            switch kind {
            case .email: email = .unchanged
            case .phone: phone = .unchanged
            }
            pending[kind] = address
        }
        return pending
    }
}

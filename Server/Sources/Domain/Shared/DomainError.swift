/// What a rule returns instead of a result: one of ten kinds, a code of an open set, and what belongs to the code.
///
/// Adapters switch over the kinds, and have a table of the codes that their protocol has a word of its own for. The cases
/// of rules are static members: `throw .sessionInvalid`. A pattern such as `case .rateLimited = error` compares the codes
/// alone. (A pattern behind `catch` ends in a crash of Swift 6.3's compiler; a `switch` over the code does not.)
package struct DomainError: Error, Hashable, Sendable {
    /// What a caller can do about it.
    package let kind: Kind
    /// Which rule it was.
    package let code: Code
    /// What belongs to the code.
    package let detail: Detail

    package init(_ kind: Kind, _ code: Code, _ detail: Detail = .none) {
        self.kind = kind
        self.code = code
        self.detail = detail
    }

    /// What a caller can do about an error. A closed set.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// Values break their rules; others would not.
        case invalid
        /// Who asks has not shown who they are, or not in the way that this needs.
        case unauthenticated
        /// A password, code, token or ticket does not prove what it should.
        case refused
        /// Who asks is known, and may not.
        case forbidden
        case notFound
        /// What is asked for does not go with the present state.
        case conflict
        /// It was possible once, and is no more.
        case gone
        case rateLimited
        /// Something that this needs does not work now.
        case unavailable
        /// A fault of this installation.
        case `internal`
    }

    /// The name of a rule's error. An open set.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package var rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }
    }

    /// What belongs to a code.
    package enum Detail: Hashable, Sendable {
        case none
        /// The kinds of the identifiers that it is about.
        case identifiers([LogInIdentifier.Kind])
        case fields([ValidationError])
        /// When to ask again.
        case retryAfter(Duration)
        /// When the user is erased.
        case erasedAt(Timestamp)
        /// Until when the transfer can be undone by which the caller's device joined.
        case undoUntil(Timestamp)
        /// The server's clock.
        case serverTime(Timestamp)
        case mergeOffer(MergeOffer)
        case proof(ProofFault)
        case providerToken(ProviderTokenFault)
        case passkey(PasskeyFault)
        case secondFactor(SecondFactorChallenge)
        case removedDeviceKey(RemovedDeviceKey)
        case firstLaunch(FirstLaunchDemand)
        case attestation(AttestationFault)
        /// What an admin would need.
        case permission(AdminPermission)
        /// What an admin would need for all applications, where it is about the whole server.
        case serverPermission(AdminPermission)
        /// What an app's own backend says to the person.
        case message(String)
    }

    /// Whether an error has a code: `case .sessionInvalid = error`.
    package static func ~= (code: Code, error: Self) -> Bool { error.code == code }
}

extension DomainError {
    /// The kinds of the identifiers that the error is about.
    package var identifierKinds: [LogInIdentifier.Kind] {
        if case .identifiers(let kinds) = detail { kinds } else { [] }
    }

    /// The broken rules of values; `nil` when it is about something else.
    package var validationErrors: [ValidationError]? {
        if case .fields(let errors) = detail { errors } else { nil }
    }

    /// When to ask again, if that is known.
    package var retryAfter: Duration? {
        if case .retryAfter(let span) = detail { span } else { nil }
    }

    /// When the user is erased.
    package var erasedAt: Timestamp? {
        if case .erasedAt(let time) = detail { time } else { nil }
    }

    /// Until when the transfer can be undone by which the caller's device joined.
    package var undoUntil: Timestamp? {
        if case .undoUntil(let time) = detail { time } else { nil }
    }

    package var mergeOffer: MergeOffer? {
        if case .mergeOffer(let offer) = detail { offer } else { nil }
    }
}

extension DomainError: CustomStringConvertible {
    /// The code, and what belongs to it, for logs.
    package var description: String {
        switch detail {
        case .none: code.rawValue
        case .identifiers(let kinds): "\(code.rawValue)(\(kinds))"
        case .fields(let errors): "\(code.rawValue)(\(errors))"
        case .retryAfter(let span): "\(code.rawValue)(retryAfter: \(span))"
        case .erasedAt(let time): "\(code.rawValue)(erasedAt: \(String(reflecting: time)))"
        case .undoUntil(let time): "\(code.rawValue)(undoUntil: \(String(reflecting: time)))"
        case .serverTime(let time): "\(code.rawValue)(serverTime: \(String(reflecting: time)))"
        case .mergeOffer(let offer): "\(code.rawValue)(\(String(reflecting: offer)))"
        case .proof(let fault): "\(code.rawValue)(\(String(reflecting: fault)))"
        case .providerToken(let fault): "\(code.rawValue)(\(String(reflecting: fault)))"
        case .passkey(let fault): "\(code.rawValue)(\(fault.rule))"
        case .secondFactor, .firstLaunch, .message: code.rawValue
        case .attestation(let fault): "\(code.rawValue)(\(fault.rule))"
        case .removedDeviceKey(let key): "\(code.rawValue)(\(String(reflecting: key)))"
        case .permission(let permission), .serverPermission(let permission):
            "\(code.rawValue)(\(String(reflecting: permission)))"
        }
    }
}

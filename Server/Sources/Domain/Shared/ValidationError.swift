/// A value that breaks a rule.
package struct ValidationError: Hashable, Sendable {
    /// The path as the domain knows it: `displayName`, `fields.score`, `device.name`.
    package var field: String
    package var rule: Rule

    package init(field: String, rule: Rule) {
        self.field = field
        self.rule = rule
    }

    package enum Rule: Hashable, Sendable {
        case tooLong(maximumCharacters: Int)
        case controlCharacter
        case empty
        case notALanguageTag
        case tooManyFields(maximum: Int)
        /// A number that is too small or too large.
        case outOfRange(ClosedRange<Int64>)
        /// Neither an address nor a network such as `10.0.0.0/8`.
        case notANetwork
        case tooManyBytes(maximum: Int)
        case tooDeep(maximumLevels: Int)
        case notUnique
        /// None of the values that the application lists.
        case notListed
        /// Something that the provider does not do.
        case notOffered
        case notAnAddress
        /// Neither the form of Apple's ids: ten capitals and digits, nor of a bundle id.
        case notAnAppleId
        case notAPrivateKey
        /// No 1 to 255 visible ASCII characters, which is what a header can carry.
        case notAKey
        /// None of the two keys of Play Integrity, in base64.
        case notAPlayKey
        /// A time that is over.
        case inThePast
        /// Neither `/` nor one free segment of a path.
        case notABasePath
        case tooShort(minimumCharacters: Int)
        /// None of these fields is there.
        case noneOf([String])
        case notAUserName
        /// Letters of scripts whose letters look alike.
        case mixedScripts
        case notAMailAddress
        case notAPhoneNumber
        /// A password of the list that everybody tries first.
        case tooCommon
        /// A password of a list of leaked ones.
        case breached
        /// A password hash of a form that is not known here, or that costs too much to try.
        case notATriableHash
        /// A password that holds a word of its surroundings, such as the user's own name.
        case containsContext
        case required
        /// Too long or too short, or with other characters, or mistyped.
        case notATransferCode
        /// Only a registered user can change it so; an anonymous one is upgraded.
        case onlyAfterUpgrade
        /// Without it nothing would lead to the user.
        case lastWayIn
        /// Not an address that a token can be put behind.
        case notALink
        /// A name in double braces that stands for no value.
        case unknownPlaceholder
        /// A template that does not show what the mail is for.
        case secretMissing
        /// An operation on a value that it does not go with: a sum of texts, an element added to a number.
        case otherType
        /// A value of another kind than the application's rule for the field has.
        case notOfKind(FieldKind)
        /// A field that the caller may not write.
        case readOnly
        /// A field that the application has no rule for, where others than operators write only those that have one.
        case notDeclared
        /// A field that the caller may not read, so that nothing can be asked of it.
        case unreadable
        /// A subject that shows the code to anybody who sees the locked screen.
        case secretInSubject
        /// A template in which the code or the link may become a part of an address, or of a form.
        case secretInAddress
        /// Not a domain's name in lower case.
        case notADomain
        /// A domain that is the server's own or of an application for which the caller does not decide.
        case notOwnDomain
        /// An audience that is the id of an application for which the caller does not decide, or that one has.
        case notOwnAudience
        /// Neither the origin of a page nor that of an Android app.
        case notAnOrigin
        /// Not the UUID of a kind of authenticator.
        case notAnAuthenticator
        /// No certificates in PEM that can be read.
        case notACertificate
        /// What access lists write for everybody or a role, or paths for the one who asks.
        case notAUserId
        /// Letters, digits and some signs of ASCII are all that a role, a group or a permission is called by.
        case notAGrantName
        /// Not a name that a claim can have.
        case notAClaimName
        /// A claim that tokens have by themselves.
        case reserved
        /// Not a field with a rule by which only the server writes it.
        case notServersField
        /// A name that no field can have.
        case notAFieldName
    }
}

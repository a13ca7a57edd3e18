/// Makes mails that tell a user of what was done, ready for the queue (requirement 5).
package struct MailNotice: Sendable {
    /// How long telling is of use.
    static let life: Duration = .days(1)

    let sealing: MailSealing
    let delivery: MailDelivery
    /// The server's own address for people; `nil` while it is not set.
    let pagesURL: String?

    /// - Parameters:
    ///   - kind: What was done.
    ///   - user: To whom it was done. Where the kind does not say otherwise, only an address that was shown to be the
    ///     user's is written to.
    ///   - reachesUnproved: Whether an address that nobody has confirmed is written to all the same, because of what was done.
    ///   - application: Where.
    ///   - now: When.
    ///   - id: The mail's, where it was drawn before.
    /// - Returns: the mail, to be put into the queue in the transaction that does it; `nil` when there is nobody to
    ///   tell, or no way to.
    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    func callAsFunction(
        _ kind: MailKind, to user: User, reachingUnproved reachesUnproved: Bool = false,
        in application: Identifier<Application>, at now: Timestamp, as id: Identifier<QueuedMail>? = nil
    ) throws(DomainError) -> ReadyNotice? {
        let isVerified = user.emailVerifiedAt != nil
        guard delivery.isAvailable, isVerified || kind.reachesUnverified || reachesUnproved, let email = user.email,
            let recipient = MailAddress(email)?.deliverable
        else { return nil }
        var rendered = RenderedMessage(
            kind: kind, recipient: recipient, languages: [user.locale].compactMap { $0 }, email: email)
        let linked = kind == .passwordChanged ? user.linkedProviders : []
        if !linked.isEmpty { rendered.linked = linked.map(\.brandName) }
        if kind == .passwordChanged {
            if user.phoneVerifiedAt != nil { rendered.numberEnding = user.phone.map { String($0.suffix(2)) } }
            if user.isSharedByACL { rendered.isShared = true }
        }
        if !linked.isEmpty || kind == .deletionRequested {
            rendered.pages = pagesURL.map { "\($0)/a/\(application.rawValue)" }
        }
        let mail = try sealing.queued(
            .rendered(rendered), of: kind, in: application, at: now, life: Self.life, as: id)
        let address = LogInIdentifier(.email, shown: email).folded
        return ReadyNotice(
            mail: mail,
            counter: isVerified
                ? nil
                : RateLimitKey(
                    application: application, kind: "unverified-notice",
                    subject: Base64URL.text(of: SecretDigest(of: address.utf8).bytes)))
    }
}

extension User {
    /// The providers that lead to the user, and passkeys among them, each once, the first that was linked first.
    fileprivate var linkedProviders: [Identity.Provider] {
        var providers: [Identity.Provider] = []
        for identity in identities.sorted(by: { $0.linkedAt < $1.linkedAt })
        where identity.provider.registers && !providers.contains(identity.provider) {
            providers.append(identity.provider)
        }
        return providers
    }
}

extension User {
    /// Whether the access list names somebody else, or lets everybody write. What everybody may read is usual in some apps, and
    /// roles give nobody anything.
    fileprivate var isSharedByACL: Bool {
        acl?.entries.contains { subject, rights in
            switch subject {
            case .everybody: rights.contains(.write)
            case .user(let other): other != id && !rights.isEmpty
            case .role: false
            }
        } ?? false
    }
}

/// A notice to somebody whom only the transaction finds out. It is sealed there, as a mail of one user is short.
struct DrawnNotice: Sendable {
    private let notice: MailNotice
    private let id: Identifier<QueuedMail>
    private let now: Timestamp

    init(_ notice: MailNotice, at now: Timestamp) {
        self.notice = notice
        self.now = now
        id = notice.sealing.randomness.newIdentifier(at: now)
    }

    /// - Returns: the mail; `nil` as of `MailNotice`.
    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    func mail(_ kind: MailKind, to user: User) throws(DomainError) -> ReadyNotice? {
        try notice(kind, to: user, in: user.application, at: now, as: id)
    }
}

/// A notice, for the transaction of the change that it tells of.
struct ReadyNotice: Sendable {
    /// An address that nobody has confirmed may be a stranger's, who must not be buried in mail.
    static let limitOfUnverified = RateLimit(maximum: 3, window: .days(1))

    fileprivate let mail: QueuedMail
    /// What is counted for an address that nobody has confirmed.
    fileprivate let counter: RateLimitKey?
    /// Whether it is for the address that the change takes away, to which there may be a way back.
    var isForFormerAddress = false

    func send(in transaction: any Transaction, at now: Timestamp) throws(DomainError) {
        if let counter {
            let limit = Self.limitOfUnverified
            guard try transaction.count(counter, window: limit.window, at: now).count <= limit.maximum else { return }
        }
        try transaction.insert(mail)
    }
}

extension MailTexts {
    /// The paragraph that a mail has beside the built-in words of its kind; `nil` for none.
    static func further(for message: RenderedMessage, in language: MailLanguage) -> String? {
        let staying = [
            message.linked.map { linked($0, pages: message.pages, in: language) },
            message.numberEnding.map { number($0, in: language) },
            message.isShared == true ? shared(in: language) : nil,
        ].compactMap(\.self)
        guard staying.isEmpty else { return staying.joined(separator: "\n\n") }
        guard message.kind == .deletionRequested, let pages = message.pages else { return nil }
        // Apps of old protocols have no word for an account that can come back: they refuse the log-in.
        let words =
            switch language {
            case .english:
                "Where the app refuses the log-in, log in on this page, which asks whether to restore the account:"
            case .japanese: "アプリでログインが断られる場合は、次のページでログインし、アカウントの復元を選んでください。"
            case .korean: "앱에서 로그인이 거부되면 다음 페이지에서 로그인하여 계정 복구를 선택해 주세요."
            }
        return "\(words)\n\n\(pages)/log-in"
    }

    /// What the code beside a link to a page is for.
    static func codeForApp(in language: MailLanguage) -> String {
        switch language {
        case .english: "If the app asks for a code, copy this one into it:"
        case .japanese: "アプリでコードの入力を求められた場合は、次のコードを貼り付けてください。"
        case .korean: "앱에서 코드를 요청하면 다음 코드를 붙여 넣어 주세요."
        }
    }

    /// That a number stays, by which old apps set a password: a thief may have added and proved it.
    private static func number(_ ending: String, in language: MailLanguage) -> String {
        switch language {
        case .english:
            "The phone number that ends with \(ending) still belongs to your account, and may be used to set a password. "
                + "If it is not yours, change it in the app, or ask those who run it."
        case .japanese:
            "末尾が \(ending) の電話番号は引き続きアカウントに登録されており、パスワードの再設定に使えることがあります。"
                + "ご自分の番号でない場合は、アプリで変更するか、運営者にお問い合わせください。"
        case .korean:
            "끝자리가 \(ending)인 전화번호는 계속 계정에 등록되어 있으며 비밀번호를 다시 설정하는 데 쓰일 수 있습니다. "
                + "본인의 번호가 아니면 앱에서 변경하거나 운영자에게 문의해 주세요."
        }
    }

    /// That an access list stays as it is: a thief may have set it.
    private static func shared(in language: MailLanguage) -> String {
        switch language {
        case .english:
            "An access list of your account lets others read or change what the app keeps of you, also after this. If that is "
                + "not what you want, change it in the app, or ask those who run it."
        case .japanese:
            "アカウントのアクセスリストにより、アプリが保存しているあなたのデータを、引き続きほかの人が読んだり変更したりできます。"
                + "心当たりのない場合は、アプリで変更するか、運営者にお問い合わせください。"
        case .korean:
            "계정의 접근 목록에 따라 앱이 보관하는 데이터를 앞으로도 다른 사람이 읽거나 바꿀 수 있습니다. "
                + "원하지 않으면 앱에서 변경하거나 운영자에게 문의해 주세요."
        }
    }

    private static func passkeys(in language: MailLanguage) -> String {
        switch language {
        case .english: "passkeys"
        case .japanese: "パスキー"
        case .korean: "패스키"
        }
    }

    /// Which providers still lead to an account whose password was changed, and whether passkeys do: one of them may be a thief's.
    ///
    /// - Parameters:
    ///   - names: Of the providers; passkeys have the name of theirs.
    ///   - pages: Where this server's own pages for the application are; `nil` where there are none.
    ///   - language: Of the mail.
    /// - Returns: a paragraph.
    private static func linked(_ names: [String], pages: String?, in language: MailLanguage) -> String {
        let page = pages.map { "\n\n\($0)/account" } ?? ""
        let names = names.map { $0 == Identity.Provider.passkey.brandName ? passkeys(in: language) : $0 }
        switch language {
        case .english:
            return "These ways to log in still lead to your account: \(names.joined(separator: ", ")). "
                + "Remove what is not yours in the app\(pages == nil ? "." : ", or here:\(page)")"
        case .japanese:
            return "次のログイン方法は引き続き有効です：\(names.joined(separator: "、"))。"
                + "心当たりのないものは、アプリ\(pages == nil ? "で解除してください。" : "か、次のページで解除してください。\(page)")"
        case .korean:
            return "다음 로그인 방법은 계속 사용할 수 있습니다: \(names.joined(separator: ", ")). "
                + "본인의 것이 아닌 방법은 앱\(pages == nil ? "에서 해제해 주세요." : "이나 다음 페이지에서 해제해 주세요.\(page)")"
        }
    }
}

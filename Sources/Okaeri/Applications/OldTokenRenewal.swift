import Foundation

/// How far the exchange of an old service's refresh token has come, until the server has taken what the service gave.
struct OldTokenRenewal: Codable, Hashable, Sendable {
    /// How long after a sending without an answer the same refresh token is sent again: within the time in which services take
    /// one twice (Supabase 10 seconds, Cognito up to 60). Each further distance is four times as long.
    static let firstDistance: Duration = .seconds(5)
    static let longestDistance: Duration = .seconds(86_400)

    /// The refresh token that the old SDK left.
    let of: String
    /// What the service gave; `nil` before it has given anything.
    private(set) var token: String?
    /// The one that the service takes next.
    private(set) var refreshToken: String
    /// When `refreshToken` was sent last, while no answer to it has come.
    private var sentAt: Date?
    /// How often it was sent.
    private var sendings: Int?
    /// Whether the service takes it no more.
    private(set) var isRefused: Bool?

    init(of refreshToken: String) {
        of = refreshToken
        self.refreshToken = refreshToken
    }

    /// How long the refresh token is not sent again; `nil` when it may be sent. A clock that went back does not count.
    func wait(at now: Date) -> Duration? {
        guard let sentAt else { return nil }
        var distance = Self.firstDistance
        for _ in 1..<min(max(sendings ?? 1, 1), 12) where distance < Self.longestDistance { distance *= 4 }
        let passed = now.timeIntervalSince(sentAt)
        guard passed >= 0 else { return nil }
        let left = min(distance, Self.longestDistance) - .seconds(min(passed, 86_400))
        return left > .zero ? left : nil
    }

    /// The mark that is stored before it is sent.
    func sent(at now: Date) -> OldTokenRenewal {
        var next = self
        next.sentAt = now
        next.sendings = min(max(sendings ?? 0, 0), 1000) + 1
        return next
    }

    func answered(with token: String, _ refreshToken: String?) -> OldTokenRenewal {
        var next = OldTokenRenewal(of: of)
        next.token = token
        next.refreshToken = refreshToken ?? self.refreshToken
        return next
    }

    func refused() -> OldTokenRenewal {
        var next = self
        next.isRefused = true
        return next
    }
}

#if !OKAERI_ESSENTIALS
    extension OldSessions {
        /// Where this SDK keeps how far an exchange has come.
        static let renewalService = "okaeri.adoption"

        /// How far the exchange of the credential came at an earlier try.
        func renewal(at service: OldService, of found: OldCredential) throws(OkaeriError) -> OldTokenRenewal? {
            do throws(VaultError) {
                guard let data = try item(Self.renewalService, service.name) else { return nil }
                // What cannot be read is as good as nothing.
                let kept = try? UntrustedJSON.decode(OldTokenRenewal.self, from: data)
                return kept?.of == found.refreshToken ? kept : nil
            } catch {
                throw OkaeriError(error)
            }
        }

        /// Stores the mark of a sending.
        ///
        /// - Returns: false when another process has stored one meanwhile.
        /// - Throws: when it cannot be stored, and so nothing may be sent.
        func mark(
            _ mark: OldTokenRenewal, over kept: OldTokenRenewal?, for service: OldService
        ) throws(OkaeriError) -> Bool {
            guard let items = items(Self.renewalService), let data = try? JSONEncoder().encode(mark) else {
                throw .storageUnavailable("the mark of an exchange cannot be stored")
            }
            do throws(VaultError) {
                if try items.add(service.name, data) { return true }
                let present = try items.read(service.name).flatMap {
                    try? UntrustedJSON.decode(OldTokenRenewal.self, from: $0)
                }
                // One about another credential is over.
                guard present == nil || present == kept || present?.of != mark.of else { return false }
                try items.replace(service.name, data)
                return true
            } catch {
                throw OkaeriError(error)
            }
        }

        func keep(_ renewal: OldTokenRenewal, for service: OldService) {
            // Without it the mark stays, and the next try is that after a lost answer.
            guard let data = try? JSONEncoder().encode(renewal) else { return }
            try? items(Self.renewalService)?.replace(service.name, data)
        }

        /// Removes what was handed over, or leads nowhere any more. The record of the exchange stays while something else does.
        func forget(_ service: OldService) {
            var isGone = true
            for (name, account) in items(in: service.location) {
                do {
                    try items(name)?.remove(account)
                } catch {
                    // What was handed over leads to the same user, whom the device has; what was refused is not sent again.
                    isGone = false
                }
            }
            // Nothing reads it without the credential.
            if isGone { try? items(Self.renewalService)?.remove(service.name) }
        }
    }
#endif

import Domain

/// A hook as stored, in the settings of its application.
struct StoredHook: Codable {
    private var point: String
    private var url: String
    private var timeoutMilliseconds: Int64
    private var whenDown: String
    private var asksGuests: Bool?
    private var isPaused: Bool?
    private var createdAt: Int64
    private var sealedSecret: String
    private var sealedFormer: String?
    private var formerUntil: Int64?
    private var asksFrom: Int64?
    private var asksUntil: Int64?

    init(_ hook: Hook) {
        point = hook.point.rawValue
        url = hook.url
        timeoutMilliseconds = hook.timeoutMilliseconds
        whenDown = hook.whenDown.rawValue
        asksGuests = hook.asksGuests ? true : nil
        isPaused = hook.isPaused ? true : nil
        createdAt = hook.createdAt.milliseconds
        sealedSecret = Base64URL.text(of: hook.sealedSecret)
        sealedFormer = hook.sealedFormer.map { Base64URL.text(of: $0) }
        formerUntil = hook.formerUntil?.milliseconds
        asksFrom = hook.window.from?.milliseconds
        asksUntil = hook.window.until?.milliseconds
    }

    /// `nil` for one that a newer server asks before something that this one does not know.
    var hook: Hook? {
        guard let point = HookPoint(rawValue: point), let sealed = Base64URL.bytes(of: sealedSecret.utf8) else {
            return nil
        }
        let timeout = min(max(timeoutMilliseconds, Hook.timeouts.lowerBound), Hook.timeouts.upperBound)
        var hook = Hook(
            // What a newer server wrote and this one does not know refuses more, not less.
            point, url: url, timeoutMilliseconds: timeout, whenDown: Hook.WhenDown(rawValue: whenDown) ?? .refuse,
            asksGuests: asksGuests ?? false, createdAt: Timestamp(milliseconds: createdAt), sealedSecret: sealed)
        hook.isPaused = isPaused ?? false
        hook.sealedFormer = sealedFormer.flatMap { Base64URL.bytes(of: $0.utf8) }
        hook.formerUntil = formerUntil.map { Timestamp(milliseconds: $0) }
        hook.window = Hook.Window(
            from: asksFrom.map { Timestamp(milliseconds: $0) }, until: asksUntil.map { Timestamp(milliseconds: $0) })
        return hook
    }
}

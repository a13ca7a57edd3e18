public import OkaeriWire

/// What a session remembers of its device, shown to the user in the list of sessions. Of each text the first 200 characters are sent,
/// without control characters, and nothing of one that has more than 30 combining marks in a row: people name their devices as
/// they like, and that keeps nobody from logging in.
public struct DeviceInfo: Hashable, Sendable {
    /// The name that its owner gave it, for example `Hana's iPhone`.
    public var name: String?
    /// The model, for example `iPhone17,1`.
    public var model: String?
    /// The system and its version, for example `iOS 19.1`.
    public var system: String?
    /// The app's version, for example `2.4.0 (311)`.
    public var appVersion: String?

    /// Describes a device; every text is optional.
    public init(name: String? = nil, model: String? = nil, system: String? = nil, appVersion: String? = nil) {
        self.name = name
        self.model = model
        self.system = system
        self.appVersion = appVersion
    }

    var body: DeviceBody {
        DeviceBody(
            name: name?.shortLine, model: model?.shortLine, system: system?.shortLine,
            appVersion: appVersion?.shortLine)
    }
}

/// First values for the user that an automatic log-in may make. For a known user they change nothing.
public struct NewUser: Hashable, Sendable {
    /// The name to greet by, at most 200 characters.
    public var displayName: String?
    /// The person's language, a BCP 47 tag of at most 35 characters.
    public var locale: String?
    /// The application's own fields: at most 100 keys and 32 KiB as JSON.
    public var fields: [String: JSONValue]

    /// Makes first values.
    public init(displayName: String? = nil, locale: String? = nil, fields: [String: JSONValue] = [:]) {
        self.displayName = displayName
        self.locale = locale
        self.fields = fields
    }

    var body: NewUserBody {
        NewUserBody(displayName: displayName, locale: locale, fields: fields.isEmpty ? nil : fields)
    }
}

extension String {
    /// The text as servers take names, and as people are shown what somebody else has written: at most 200 characters, without control
    /// characters. `nil` when nothing is left, or when nobody reads JSON that holds it: neither the server a request nor a vault its
    /// record.
    var shortLine: String? {
        let taken = unicodeScalars.lazy.filter { $0.properties.generalCategory != .control }.prefix(200)
        let name = String(String.UnicodeScalarView(taken))
        return name.isEmpty || !StreamSafeText.contains(name) ? nil : name
    }
}

import Foundation

/// Where this device remembers how somebody logged in the last time: the way alone, never who.
public protocol MethodMemory: Sendable {
    /// The way of the last log-in, if any.
    func last() -> LogInMethod?
    /// Remembers a way; `nil` forgets it.
    func remember(_ method: LogInMethod?)
}

/// The memory in the app's user defaults.
public struct DefaultsMethodMemory: MethodMemory {
    private let key: String

    /// Makes a memory.
    ///
    /// - Parameter application: The application's id, so that several have one each.
    public init(application: String) {
        key = "okaeri.\(application).lastMethod"
    }

    /// The way of the last log-in, if any.
    public func last() -> LogInMethod? {
        UserDefaults.standard.string(forKey: key).map(LogInMethod.init(rawValue:))
    }

    /// Remembers a way; `nil` forgets it.
    public func remember(_ method: LogInMethod?) {
        UserDefaults.standard.set(method?.rawValue, forKey: key)
    }
}

/// A memory that remembers nothing.
public struct NoMethodMemory: MethodMemory {
    /// Makes one.
    public init() {}

    /// Nothing.
    public func last() -> LogInMethod? { nil }
    /// Does nothing.
    public func remember(_ method: LogInMethod?) {}
}

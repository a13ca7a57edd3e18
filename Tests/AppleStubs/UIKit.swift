// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in for Apple's UIKit: the few declarations that the SDK uses, without behaviour.

public import Foundation

@MainActor open class UIResponder: NSObject {}

@MainActor open class UIView: UIResponder {}

public final class UIAction: NSObject {
    public init(handler: @escaping @MainActor (UIAction) -> Void) {}
}

@MainActor open class UIControl: UIView {
    public struct Event: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let touchUpInside = Event(rawValue: 64)
    }

    public var isEnabled = true
    public func addAction(_ action: UIAction, for controlEvents: Event) {}
}

@MainActor public final class UIWindow: UIView {
    public var isKeyWindow: Bool { false }
    public var rootViewController: UIViewController?
}

@MainActor open class UIScene: UIResponder {}

@MainActor public final class UIWindowScene: UIScene {
    public var windows: [UIWindow] { [] }
}

@MainActor open class UIApplication: UIResponder {
    public class var shared: UIApplication { fatalError("a stand-in") }
    public class var willResignActiveNotification: Notification.Name { fatalError("a stand-in") }
    public class var didBecomeActiveNotification: Notification.Name { fatalError("a stand-in") }
    public var connectedScenes: Set<UIScene> { [] }
}

public enum UIModalPresentationStyle: Int, Sendable {
    case fullScreen, pageSheet, formSheet
}

public enum UIModalTransitionStyle: Int, Sendable {
    case coverVertical, flipHorizontal, crossDissolve
}

@MainActor open class UIViewController: UIResponder {
    public init(nibName: String?, bundle: Bundle?) {}
    public required init?(coder: NSCoder) { nil }
    open var modalPresentationStyle: UIModalPresentationStyle {
        get { .pageSheet }
        set {}
    }
    open var modalTransitionStyle: UIModalTransitionStyle {
        get { .coverVertical }
        set {}
    }
    open func dismiss(animated: Bool, completion: (() -> Void)? = nil) {}
    open func present(_ controller: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {}
}

public enum UIKeyboardType: Int, Sendable {
    case `default`, asciiCapable, numbersAndPunctuation, URL, numberPad, phonePad, namePhonePad, emailAddress,
        decimalPad
}

public struct UITextContentType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let name = UITextContentType(rawValue: "name")
    public static let username = UITextContentType(rawValue: "username")
    public static let password = UITextContentType(rawValue: "password")
    public static let newPassword = UITextContentType(rawValue: "newPassword")
    public static let oneTimeCode = UITextContentType(rawValue: "oneTimeCode")
    public static let emailAddress = UITextContentType(rawValue: "emailAddress")
    public static let telephoneNumber = UITextContentType(rawValue: "telephoneNumber")
    public static let URL = UITextContentType(rawValue: "URL")
}

public final class UIImage: NSObject, @unchecked Sendable {
    public init?(data: Data) { nil }
}

@MainActor public final class UIPasteboard: NSObject {
    public struct OptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let localOnly = OptionsKey(rawValue: "localOnly")
        public static let expirationDate = OptionsKey(rawValue: "expirationDate")
    }

    public class var general: UIPasteboard { fatalError("a stand-in") }
    public func setItems(_ items: [[String: Any]], options: [OptionsKey: Any] = [:]) {}
}

public enum UIAccessibility {
    public struct Notification: RawRepresentable, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static let announcement = Notification(rawValue: 1)
    }

    @MainActor public static func post(notification: Notification, argument: Any?) {}
}

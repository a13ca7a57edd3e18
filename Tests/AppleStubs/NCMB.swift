// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in for the Swift SDK of NCMB (ncmb_swift 1.4), as far as the tutorials use it, without behaviour.

public class NCMB {
    public class func initialize(
        applicationKey: String, clientKey: String, domainURL: String = "", apiVersion: String = ""
    ) {}
}

public enum NCMBResult<T> {
    case success(T)
    case failure(any Error)
}

public typealias NCMBHandler<T> = (NCMBResult<T>) -> Void

public class NCMBBase {
    public var objectId: String?

    public subscript<T>(field: String) -> T? {
        get { nil }
        set {}
    }
}

public class NCMBUser: NCMBBase {
    public class var currentUser: NCMBUser? { nil }
    public class func enableAutomaticUser() {}
    public class func automaticCurrentUserInBackground(callback: @escaping NCMBHandler<NCMBUser>) {}
    public func saveInBackground(callback: @escaping NCMBHandler<Void>) {}
}

import Foundation
import Okaeri

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLSessionTransport {
    /// A transport that gives a silent server up.
    ///
    /// Foundation on Linux does not keep the time limit of a request, only the one of the session.
    static func patient(for limit: Duration) -> URLSessionTransport {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = limit / .seconds(1)
        return URLSessionTransport(configuration: configuration)
    }
}

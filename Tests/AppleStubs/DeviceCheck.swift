// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in for Apple's DeviceCheck: the few declarations that the SDK uses, without behaviour.

public import Foundation

public final class DCAppAttestService: NSObject, @unchecked Sendable {
    public class var shared: DCAppAttestService { DCAppAttestService() }
    public var isSupported: Bool { false }

    public func generateKey() async throws -> String { throw CancellationError() }

    public func attestKey(_ keyId: String, clientDataHash: Data) async throws -> Data { throw CancellationError() }
}

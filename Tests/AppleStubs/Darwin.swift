// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in for Apple's Darwin module: the C library of this system, and the few things that it does not have.

public import Dispatch
@_exported import Glibc

public let O_EVTONLY: Int32 = 0x8000
public let F_SETPROTECTIONCLASS: Int32 = 64

public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {}

extension DispatchSource {
    public static func makeFileSystemObjectSource(
        fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceFileSystemObject {
        fatalError("a stand-in")
    }
}

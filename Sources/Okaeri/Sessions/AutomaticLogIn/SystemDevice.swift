import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension DeviceInfo {
    /// This device, as far as the system tells without asking the person: no name on phones, where it is private.
    public static var thisDevice: DeviceInfo {
        DeviceInfo(name: deviceName(), model: model(), system: system(), appVersion: appVersion())
    }

    private static func appVersion() -> String? {
        #if OKAERI_ESSENTIALS
            return nil
        #else
            let bundle = Bundle.main.infoDictionary
            let version = bundle?["CFBundleShortVersionString"] as? String
            let build = bundle?["CFBundleVersion"] as? String
            return version.map { version in build.map { "\(version) (\($0))" } ?? version }
        #endif
    }

    private static func deviceName() -> String? {
        #if os(Linux) || os(macOS)
            // Not `ProcessInfo.hostName`, which may ask the network and wait for it.
            var name = [CChar](repeating: 0, count: 256)
            guard gethostname(&name, name.count - 1) == 0 else { return nil }
            return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        #else
            return nil
        #endif
    }

    /// The hardware's name as the kernel gives it (`uname`): `iPhone17,1`, `x86_64`.
    private static func model() -> String? {
        var names = utsname()
        guard uname(&names) == 0 else { return nil }
        return withUnsafeBytes(of: names.machine) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private static func system() -> String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        let numbers = "\(version.majorVersion).\(version.minorVersion)"
        #if os(iOS)
            return "iOS \(numbers)"
        #elseif os(tvOS)
            return "tvOS \(numbers)"
        #elseif os(watchOS)
            return "watchOS \(numbers)"
        #elseif os(visionOS)
            return "visionOS \(numbers)"
        #elseif os(macOS)
            return "macOS \(numbers)"
        #else
            return "Linux \(numbers)"
        #endif
    }
}

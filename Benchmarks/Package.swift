// swift-tools-version: 6.2
import PackageDescription

/// The same compiler settings as in the other packages (see CONTRIBUTING.md).
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")

/// The server is measured from outside, as a program: nothing here depends on its code.
let package = Package(
    name: "okaeri-benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "load", targets: ["Load"]),
        .executable(name: "ceiling", targets: ["Ceiling"]),
        .executable(name: "seed", targets: ["Seed"]),
        .executable(name: "bench", targets: ["Runner"]),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    ],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),

        // What the programs share: device keys and proofs, histograms, processes seen from outside, results.
        .target(name: "Measuring", dependencies: [crypto], swiftSettings: settings),

        // The server's tables, written to without the server.
        .target(name: "ServerDatabase", dependencies: ["CSQLite"], swiftSettings: settings),

        // How many requests a second, and how fast is the slowest hundredth?
        .executableTarget(
            name: "Load", dependencies: ["Measuring", arguments, nioCore, nioPosix], swiftSettings: settings),
        // How many could there be at most?
        .executableTarget(
            name: "Ceiling",
            dependencies: [
                "Measuring", "ServerDatabase", "CSodium", arguments, crypto, hummingbird, nioCore, nioHTTP1, nioPosix,
            ],
            swiftSettings: settings),
        // What if there are a million users?
        .executableTarget(
            name: "Seed", dependencies: ["Measuring", "ServerDatabase", arguments, crypto], swiftSettings: settings),
        // All of it in one go, as ratios beside their limits.
        .executableTarget(name: "Runner", dependencies: ["Measuring", arguments], swiftSettings: settings),
    ]
)

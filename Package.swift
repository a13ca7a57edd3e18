// swift-tools-version: 6.2
import PackageDescription

/// The same compiler settings in every target of both packages (see CONTRIBUTING.md).
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

// What Apple's systems want to know of an SDK. Elsewhere it is no part of a target.
#if canImport(Darwin)
    let privacyManifest: (exclude: [String], resources: [Resource]) = ([], [.copy("PrivacyInfo.xcprivacy")])
#else
    let privacyManifest: (exclude: [String], resources: [Resource]) = (["PrivacyInfo.xcprivacy"], [])
#endif

let package = Package(
    name: "okaeri",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Okaeri", targets: ["Okaeri"]),
        .library(name: "OkaeriUI", targets: ["OkaeriUI"]),
        .library(name: "OkaeriTesting", targets: ["OkaeriTesting"]),
        .library(name: "OkaeriVerifier", targets: ["OkaeriVerifier"]),
        .library(name: "OkaeriWire", targets: ["OkaeriWire"]),
    ],
    dependencies: [
        // P-256 where CryptoKit does not exist. Nothing else may be added here.
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0")
    ],
    targets: [
        // Above each target stand its ring and what it is for; scripts/architecture makes docs/ARCHITECTURE.md of them.
        // wire: Paths, bodies and error codes of the REST protocol, for server and SDK alike.
        .target(name: "OkaeriWire", swiftSettings: settings),
        // sdk: The SDK: proofs, vaults, transport, session keeper.
        .target(
            name: "Okaeri",
            dependencies: ["OkaeriWire", .product(name: "Crypto", package: "swift-crypto")],
            exclude: privacyManifest.exclude, resources: privacyManifest.resources, swiftSettings: settings),
        // ui: Screens for apps.
        .target(
            name: "OkaeriUI", dependencies: ["Okaeri", "OkaeriWire"], exclude: privacyManifest.exclude,
            resources: privacyManifest.resources, swiftSettings: settings),
        // sdk: An in-memory server for the tests of apps.
        .target(
            name: "OkaeriTesting",
            dependencies: ["Okaeri", "OkaeriWire", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings),
        // sdk: For backends: access tokens, proofs and webhooks, verified.
        .target(
            name: "OkaeriVerifier",
            dependencies: ["OkaeriWire", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings),
        // tests: The wire's values.
        .testTarget(name: "OkaeriWireTests", dependencies: ["OkaeriWire"], swiftSettings: settings),
        // tests: The SDK.
        .testTarget(
            name: "OkaeriTests",
            dependencies: ["Okaeri", "OkaeriTesting", "OkaeriWire", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings),
        // tests: What backends verify, by the vectors that the examples for other languages have too.
        .testTarget(
            name: "OkaeriVerifierTests",
            dependencies: ["OkaeriVerifier", "OkaeriWire", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings),
        // tests: The decisions of the screens.
        .testTarget(
            name: "OkaeriUITests", dependencies: ["Okaeri", "OkaeriTesting", "OkaeriUI", "OkaeriWire"],
            swiftSettings: settings),
    ]
)

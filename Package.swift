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

let package = Package(
    name: "okaeri",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Okaeri", targets: ["Okaeri"]),
        .library(name: "OkaeriUI", targets: ["OkaeriUI"]),
        .library(name: "OkaeriTesting", targets: ["OkaeriTesting"]),
        .library(name: "OkaeriWire", targets: ["OkaeriWire"]),
    ],
    dependencies: [
        // P-256 where CryptoKit does not exist. Nothing else may be added here.
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0")
    ],
    targets: [
        .target(name: "OkaeriWire", swiftSettings: settings),
        .target(
            name: "Okaeri",
            dependencies: ["OkaeriWire", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings),
        .target(name: "OkaeriUI", dependencies: ["Okaeri", "OkaeriWire"], swiftSettings: settings),
        .target(
            name: "OkaeriTesting",
            dependencies: ["Okaeri", "OkaeriWire", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings),
        .testTarget(name: "OkaeriWireTests", dependencies: ["OkaeriWire"], swiftSettings: settings),
        .testTarget(
            name: "OkaeriTests",
            dependencies: ["Okaeri", "OkaeriTesting", "OkaeriWire", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings),
        .testTarget(
            name: "OkaeriUITests", dependencies: ["Okaeri", "OkaeriTesting", "OkaeriUI", "OkaeriWire"],
            swiftSettings: settings),
    ]
)

// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Backend",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "okaeri", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "Backend",
            dependencies: [
                .product(name: "OkaeriVerifier", package: "okaeri"),
                .product(name: "OkaeriWire", package: "okaeri"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ])
    ]
)

// swift-tools-version: 6.0
import AppleProductTypes
import PackageDescription

let package = Package(
    name: "Greeting",
    platforms: [.iOS("16.0")],
    products: [
        .iOSApplication(
            name: "Greeting", targets: ["AppModule"], bundleIdentifier: "com.example.greeting",
            displayVersion: "1.0", bundleVersion: "1", appIcon: .placeholder(icon: .sun),
            accentColor: .presetColor(.blue), supportedDeviceFamilies: [.pad, .phone],
            supportedInterfaceOrientations: [
                .portrait, .landscapeRight, .landscapeLeft, .portraitUpsideDown(.when(deviceFamilies: [.pad])),
            ], additionalInfoPlistContentFilePath: "AppInfo.plist")
    ],
    dependencies: [.package(name: "okaeri", path: "../../..")],
    targets: [
        .executableTarget(
            name: "AppModule",
            dependencies: [
                .product(name: "Okaeri", package: "okaeri"), .product(name: "OkaeriUI", package: "okaeri"),
                .product(name: "OkaeriWire", package: "okaeri"),
            ], path: ".", exclude: ["AppInfo.plist"], sources: ["Sources"])
    ]
)

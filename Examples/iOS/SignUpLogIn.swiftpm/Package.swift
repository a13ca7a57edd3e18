// swift-tools-version: 6.0
import AppleProductTypes
import PackageDescription

let package = Package(
    name: "SignUpLogIn",
    platforms: [.iOS("16.0")],
    products: [
        .iOSApplication(
            name: "SignUpLogIn", targets: ["AppModule"], bundleIdentifier: "com.example.sign-up-log-in",
            displayVersion: "1.0", bundleVersion: "1", appIcon: .placeholder(icon: .book),
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

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

/// The parsers of foreign bytes under libFuzzer. What they are stands in the server's package, where a test reads the
/// corpus; this package exists so that nothing else is built with sanitizers. Built by scripts/fuzz-parsers.
let package = Package(
    name: "okaeri-fuzzing",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "fuzz-parsers", targets: ["FuzzParsers"])],
    dependencies: [.package(name: "okaeri-server", path: "../Server")],
    targets: [
        .systemLibrary(name: "CLibFuzzer"),
        .executableTarget(
            name: "FuzzParsers",
            dependencies: ["CLibFuzzer", .product(name: "FuzzTargets", package: "okaeri-server")],
            swiftSettings: settings,
            // What the modules tell libFuzzer at the start comes to FollowedCounters first.
            linkerSettings: [
                .unsafeFlags([
                    "-Xlinker", "--wrap=__sanitizer_cov_8bit_counters_init",
                    "-Xlinker", "--wrap=__sanitizer_cov_pcs_init",
                ])
            ]),
    ]
)

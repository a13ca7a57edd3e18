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

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let wire = Target.Dependency.product(name: "OkaeriWire", package: "okaeri")
let sdk = Target.Dependency.product(name: "Okaeri", package: "okaeri")
let sdkTesting = Target.Dependency.product(name: "OkaeriTesting", package: "okaeri")

/// The hosted pages' own templates.
let pageTemplates: [Resource] = [
    "card", "log-in", "providers", "password", "form", "sign-up", "message", "account", "conflict", "consent",
]
.map { .embedInCode("Templates/\($0).mustache") }

/// The dashboard's templates, words and styles.
let dashboardResources: [Resource] =
    [
        "Templates/shell.mustache", "Templates/door.mustache", "Templates/enter.mustache", "Templates/set-up.mustache",
        "Templates/codes.mustache", "Templates/list.mustache", "Templates/overview.mustache",
        "Templates/user.mustache", "Templates/settings.mustache", "Templates/start.mustache",
        "Templates/message.mustache", "Templates/doors.mustache", "Templates/mail.mustache", "Templates/look.mustache",
        "Templates/bulk.mustache", "Templates/protocols.mustache", "Templates/proof.mustache", "Assets/dashboard.js",
        "Texts/en.json",
        "Texts/ja.json", "Texts/ko.json",
        "Assets/dashboard.css",
    ].map { .embedInCode($0) }

let package = Package(
    name: "okaeri-server",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "okaeri", targets: ["OkaeriProgram"]),
        // For the package Fuzzing, which builds them with sanitizers.
        .library(name: "FuzzTargets", targets: ["FuzzTargets"]),
    ],
    dependencies: [
        .package(name: "okaeri", path: ".."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    ],
    targets: [
        // The rules. No HTTP, no SQL.
        .target(
            name: "Domain", dependencies: [crypto, wire],
            resources: [.embedInCode("Accounts/Passwords/common-passwords.txt")], swiftSettings: settings),

        // The rules' storage: every query once, then one connection per engine.
        .target(name: "Storage", dependencies: ["Domain", wire], swiftSettings: settings),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "StorageSQLite", dependencies: ["Domain", "Storage", "Threads", "CSQLite"], swiftSettings: settings),

        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "StoragePostgreSQL", dependencies: ["Domain", "Storage", "Threads", "CLibPQ"],
            swiftSettings: settings),

        // What the server asks of others: mail servers, identity providers. And threads for what blocks.
        .target(name: "Threads", swiftSettings: settings),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CCrypt", pkgConfig: "libcrypt", providers: [.apt(["libcrypt-dev"])]),
        .target(
            name: "PasswordHashes", dependencies: ["Domain", "Threads", "CSodium", "CCrypt", cryptoExtras],
            swiftSettings: settings),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CQRencode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .target(name: "QRCodes", dependencies: ["CQRencode"], swiftSettings: settings),
        .target(
            name: "OutboundServices", dependencies: ["Domain", "Threads", "CCurl", crypto, cryptoExtras, wire],
            swiftSettings: settings),

        // Providers for tests and development. The product path knows their address at the most.
        .target(
            name: "FakeProviders",
            dependencies: [
                "Domain", hummingbird, hummingbirdCore, httpTypes, nioCore, logging, crypto, cryptoExtras, wire,
            ],
            swiftSettings: settings),

        // The protocols. Adapters only translate.
        .target(
            name: "HTTPSupport",
            dependencies: ["Domain", hummingbird, httpTypes, nioCore, nioHTTPTypes, logging, wire],
            swiftSettings: settings),
        .target(
            name: "NativeAPI",
            dependencies: ["Domain", "HTTPSupport", "QRCodes", hummingbird, httpTypes, nioCore, wire],
            resources: [.embedInCode("Service/openapi.yaml")],
            swiftSettings: settings),

        .target(
            name: "NCMBAPI",
            dependencies: ["Domain", "HTTPSupport", hummingbird, httpTypes, nioCore, crypto, wire],
            swiftSettings: settings),
        .target(
            name: "ParseAPI", dependencies: ["Domain", "HTTPSupport", hummingbird, httpTypes, nioCore, wire],
            swiftSettings: settings),
        .target(
            name: "KiiAPI", dependencies: ["Domain", "HTTPSupport", hummingbird, httpTypes, nioCore, wire],
            swiftSettings: settings),
        .target(
            name: "AuthServiceAPI", dependencies: ["Domain", "HTTPSupport", hummingbird, httpTypes, nioCore, wire],
            swiftSettings: settings),

        // Pages for people: what they are all made of, and the hosted ones.
        .target(
            name: "PageSupport",
            dependencies: ["Domain", "HTTPSupport", mustache, hummingbird, httpTypes, nioCore, crypto, wire],
            resources: [
                .embedInCode("Assets/okaeri.css"), .embedInCode("Assets/okaeri.js"),
                .embedInCode("Templates/document.mustache"), .embedInCode("Templates/field.mustache"),
                .embedInCode("Templates/summary.mustache"), .embedInCode("Templates/languages.mustache"),
                .embedInCode("Templates/notice.mustache"), .embedInCode("Templates/fault.mustache"),
            ],
            swiftSettings: settings),
        .target(
            name: "WebPages",
            dependencies: [
                "Domain", "HTTPSupport", "NativeAPI", "PageSupport", "QRCodes", hummingbird, httpTypes, nioCore, crypto,
                wire,
            ],
            resources: [
                .embedInCode("Texts/en.json"), .embedInCode("Texts/ja.json"), .embedInCode("Texts/ko.json"),
            ] + pageTemplates,
            swiftSettings: settings),
        .target(
            name: "Dashboard",
            dependencies: [
                "Domain", "HTTPSupport", "PageSupport", "QRCodes", hummingbird, httpTypes, nioCore, wire,
            ],
            resources: dashboardResources,
            swiftSettings: settings),

        // Composition and the program.
        .target(
            name: "OkaeriServer",
            dependencies: [
                "Domain", "Storage", "StorageSQLite", "StoragePostgreSQL", "HTTPSupport", "NativeAPI",
                "NCMBAPI", "ParseAPI", "KiiAPI", "AuthServiceAPI", "OutboundServices", "FakeProviders",
                "PasswordHashes",
                "Threads", "WebPages", "PageSupport", "Dashboard",
                hummingbird, hummingbirdCore, httpTypes, nioCore, nioPosix, nioHTTP1, logging, lifecycle,
                unixSignals, configuration, crypto,
            ],
            swiftSettings: settings),
        // The C library's allocator, of which Foundation shows nothing.
        .systemLibrary(name: "CMalloc"),
        .executableTarget(
            name: "OkaeriProgram",
            dependencies: [
                "CMalloc", "Domain", "HTTPSupport", "KiiAPI", "NCMBAPI", "OkaeriServer", "OutboundServices", "ParseAPI",
                arguments, sdk, wire, crypto,
            ],
            swiftSettings: settings),

        // Tests.
        .target(
            name: "TestWorld", dependencies: ["Domain", "Storage", crypto], path: "Tests/Support/TestWorld",
            swiftSettings: settings),
        .target(
            name: "StoreConformance", dependencies: ["Domain", "Storage", "TestWorld", wire],
            path: "Tests/Support/StoreConformance", swiftSettings: settings),
        .testTarget(
            name: "PasswordHashesTests", dependencies: ["Domain", "PasswordHashes"], swiftSettings: settings),
        .target(
            name: "TestPostgreSQL", dependencies: ["StoragePostgreSQL", "CLibPQ"],
            path: "Tests/Support/TestPostgreSQL", exclude: ["cluster.sh", "patroni.sh"], swiftSettings: settings),
        .target(
            name: "TestMailServer", path: "Tests/Support/TestMailServer", exclude: ["mail-server.py"],
            swiftSettings: settings),
        .testTarget(
            name: "OutboundServicesTests", dependencies: ["Domain", "OutboundServices", "TestMailServer", "Threads"],
            swiftSettings: settings),
        .testTarget(name: "ThreadsTests", dependencies: ["Threads"], swiftSettings: settings),
        .testTarget(
            name: "DomainTests",
            dependencies: ["Domain", "Storage", "StorageSQLite", "TestWorld", crypto, wire], swiftSettings: settings),
        .testTarget(
            name: "StorageTests",
            dependencies: [
                "Domain", "Storage", "StorageSQLite", "StoragePostgreSQL", "StoreConformance", "TestPostgreSQL",
                "TestWorld", "CSQLite", wire,
            ],
            exclude: ["Fixtures"],
            swiftSettings: settings),
        .testTarget(
            name: "NativeAPITests",
            dependencies: [
                "Domain", "FakeProviders", "HTTPSupport", "NativeAPI", "OkaeriServer", "OutboundServices",
                "Dashboard", "PageSupport", "PasswordHashes", "QRCodes", "Storage", "WebPages",
                "StorageSQLite", "StoragePostgreSQL", "TestPostgreSQL", "TestWorld", hummingbird,
                httpTypes, nioCore, nioEmbedded, nioHTTPTypes, nioPosix, lifecycle, logging, crypto, sdk, wire, yams,
            ],
            swiftSettings: settings),
        // The parsers of foreign bytes, each as a function of any bytes.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Domain", "HTTPSupport", "KiiAPI", "NCMBAPI", "OutboundServices", "PageSupport", "ParseAPI",
                "PasswordHashes", "StoragePostgreSQL", crypto, httpTypes, sdk, sdkTesting, wire,
            ],
            path: "Tests/Support/FuzzTargets", swiftSettings: settings),
        .testTarget(name: "FuzzTargetsTests", dependencies: ["FuzzTargets"], swiftSettings: settings),
        .target(
            name: "RecordedFlows", dependencies: [wire], path: "Tests/Support/RecordedFlows", swiftSettings: settings),
        .testTarget(
            name: "ForeignAPITests",
            dependencies: [
                "AuthServiceAPI", "Dashboard", "Domain", "FakeProviders", "HTTPSupport", "KiiAPI", "NCMBAPI",
                "NativeAPI", "OkaeriServer", "OutboundServices", "ParseAPI", "PasswordHashes", "RecordedFlows",
                "Storage", "StorageSQLite", "TestWorld", "WebPages", hummingbird, httpTypes, nioCore, logging, crypto,
                sdk, wire,
            ],
            exclude: ["Fixtures"], swiftSettings: settings),
        .testTarget(
            name: "NCMBAPITests",
            dependencies: [
                "Domain", "FakeProviders", "HTTPSupport", "NCMBAPI", "OkaeriServer", "OutboundServices",
                "PasswordHashes", "RecordedFlows", "StorageSQLite", hummingbird, httpTypes, nioCore, logging, crypto,
                wire,
            ],
            exclude: ["Fixtures"], swiftSettings: settings),
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "Domain", "Storage", "StorageSQLite", "TestMailServer", "TestPostgreSQL", "TestWorld", "CSQLite", sdk,
                wire,
            ],
            swiftSettings: settings),
    ]
)

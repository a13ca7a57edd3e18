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
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypesHTTP1 = Target.Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
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
let verifier = Target.Dependency.product(name: "OkaeriVerifier", package: "okaeri")
let sdkUI = Target.Dependency.product(name: "OkaeriUI", package: "okaeri")
let sdkTesting = Target.Dependency.product(name: "OkaeriTesting", package: "okaeri")

let package = Package(
    name: "okaeri-server",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "okaeri", targets: ["OkaeriMain"]),
        // The same commands with fake providers, for development and tests.
        .executable(name: "okaeri-dev", targets: ["OkaeriDevelopment"]),
        // The deterministic simulator (docs/testing.md).
        .executable(name: "okaeri-simulate", targets: ["OkaeriSimulate"]),
        // For the package Fuzzing, which builds them with sanitizers.
        .library(name: "FuzzTargets", targets: ["FuzzTargets"]),
    ],
    dependencies: [
        .package(name: "okaeri", path: ".."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    ],
    targets: [
        // Above each target stand its ring and what it is for; scripts/architecture makes docs/ARCHITECTURE.md of them.
        // standard: WebAuthn level 3: registrations and assertions of passkeys, read and verified. No HTTP, no storage.
        .target(name: "WebAuthn", dependencies: [crypto, cryptoExtras, wire], swiftSettings: settings),
        // standard: The C library of Unicode's forms of one text (UAX #15).
        // Not by pkg-config, whose file for it sets a macro for Windows, of which SwiftPM warns in each build.
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        // standard: The C library of domains in any script (IDNA2008, UTS #46).
        .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
        // domain: The rules, by modules: accounts, log-ins, sessions, passkeys, second factors, providers, messaging, applications, events, hooks, administration. No HTTP, no SQL.
        .target(
            name: "Domain", dependencies: ["CIDN2", "CUTF8Proc", "WebAuthn", crypto, wire],
            resources: [.embedInCode("Accounts/Passwords/common-passwords.txt")], swiftSettings: settings),
        // storage: Every query once, in the SQL that both engines share; migrations in both dialects.
        .target(name: "Storage", dependencies: ["Domain", wire], swiftSettings: settings),
        // system: The C library of SQLite.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // storage: One engine: connection, writer with group commit, readers, epoch file.
        .target(
            name: "StorageSQLite", dependencies: ["Domain", "Storage", "Threads", "CSQLite"], swiftSettings: settings),
        // system: The C library of PostgreSQL's clients.
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        // storage: The other engine: pool of connections, repetitions, notifications between nodes, cache lease.
        .target(
            name: "StoragePostgreSQL", dependencies: ["Domain", "Storage", "Threads", "CLibPQ"],
            swiftSettings: settings),
        // system: Threads for calls that block, and other programs that are waited for.
        .target(name: "Threads", dependencies: ["CGlibc"], swiftSettings: settings),
        // system: The C library of Argon2id and scrypt.
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        // system: The C library of bcrypt.
        .systemLibrary(name: "CCrypt", pkgConfig: "libcrypt", providers: [.apt(["libcrypt-dev"])]),
        // outbound: Password hashes: Argon2id for new ones, and those that come with imported users; the filter of leaked ones.
        .target(
            name: "PasswordHashes", dependencies: ["Domain", "Threads", "CSodium", "CCrypt", crypto, cryptoExtras],
            swiftSettings: settings),
        // system: The C library of HTTP and SMTP clients.
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // system: The C library that computes QR codes.
        .systemLibrary(name: "CQRencode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        // system: QR codes as SVG.
        .target(name: "QRCodes", dependencies: ["CQRencode"], swiftSettings: settings),
        // outbound: Requests to mail servers, identity providers and webhooks, through libcurl on threads of its own.
        .target(
            name: "OutboundServices", dependencies: ["Domain", "Threads", "CCurl", crypto, cryptoExtras, asn1, wire],
            swiftSettings: settings),
        // development: Fake identity providers for tests and `okaeri-dev`.
        .target(
            name: "FakeProviders",
            dependencies: [
                "Domain", hummingbird, hummingbirdCore, httpTypes, nioCore, logging, crypto, cryptoExtras, wire,
            ],
            swiftSettings: settings),
        // http: What all protocols share: router, client addresses, bodies, request ids, metrics, fast path.
        .target(
            name: "HTTPSupport",
            dependencies: ["Domain", hummingbird, httpTypes, nioCore, nioHTTP1, nioHTTPTypes, logging, wire],
            swiftSettings: settings),
        // surface: Okaeri's own REST protocol and the admin API.
        .target(
            name: "NativeAPI",
            dependencies: ["Domain", "EmbeddedFiles", "HTTPSupport", "QRCodes", hummingbird, httpTypes, nioCore, wire],
            exclude: ["Service/openapi.yaml"],
            swiftSettings: settings),
        // surface: The member management of NCMB.
        .target(
            name: "NCMBAPI",
            dependencies: ["Domain", "HTTPSupport", hummingbird, httpTypes, nioCore, crypto, wire],
            swiftSettings: settings),
        // surface: Users and sessions of Parse.
        .target(
            name: "ParseAPI", dependencies: ["Domain", "HTTPSupport", hummingbird, httpTypes, nioCore, wire],
            swiftSettings: settings),
        // surface: Users of Kii Cloud.
        .target(
            name: "KiiAPI", dependencies: ["Domain", "HTTPSupport", hummingbird, httpTypes, nioCore, wire],
            swiftSettings: settings),
        // surface: The envelope protocol of AuthService.
        .target(
            name: "AuthServiceAPI", dependencies: ["Domain", "HTTPSupport", hummingbird, httpTypes, nioCore, wire],
            swiftSettings: settings),
        // system: The C source that takes files into the program.
        .target(name: "CEmbeddedFiles"),
        // system: Files that are part of the program: templates, string tables, styles, scripts, the API's description.
        .target(name: "EmbeddedFiles", dependencies: ["CEmbeddedFiles"], swiftSettings: settings),
        // http: What all pages share: cookies, CSRF tokens, templates, texts, style.
        .target(
            name: "PageSupport",
            dependencies: [
                "Domain", "EmbeddedFiles", "HTTPSupport", mustache, hummingbird, httpTypes, nioCore, crypto, wire,
            ],
            exclude: ["Assets/okaeri.css", "Assets/okaeri.js", "Assets/passkeys.js", "Assets/work.js", "Templates"],
            swiftSettings: settings),
        // surface: The hosted log-in pages, OAuth and OpenID Connect.
        .target(
            name: "WebPages",
            dependencies: [
                "Domain", "EmbeddedFiles", "HTTPSupport", "NativeAPI", "PageSupport", "QRCodes", hummingbird, httpTypes,
                nioCore, crypto, wire,
            ],
            exclude: ["Templates", "Texts"],
            swiftSettings: settings),
        // surface: The dashboard of admins.
        .target(
            name: "Dashboard",
            dependencies: [
                "Domain", "EmbeddedFiles", "HTTPSupport", "NativeAPI", "PageSupport", "QRCodes", hummingbird, httpTypes,
                nioCore, wire,
            ],
            exclude: ["Assets", "Templates", "Texts"],
            swiftSettings: settings),
        // composition: Settings and composition: the one target that chooses concrete types.
        .target(
            name: "OkaeriServer",
            dependencies: [
                "Backups", "CGlibc", "Domain", "Storage", "StorageSQLite", "StoragePostgreSQL", "HTTPSupport",
                "NativeAPI",
                "NCMBAPI", "ParseAPI", "KiiAPI", "AuthServiceAPI", "OutboundServices", "PasswordHashes",
                "Threads", "WebPages", "PageSupport", "Dashboard",
                hummingbird, hummingbirdCore, httpTypes, nioCore, nioPosix, nioHTTP1, logging, lifecycle,
                unixSignals, configuration, crypto, wire,
            ],
            swiftSettings: settings),
        // system: The C library of compression.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // composition: Backups: sealed files, where they are kept, what is applied when one is restored.
        .target(
            name: "Backups",
            dependencies: [
                "Domain", "OutboundServices", "Storage", "StoragePostgreSQL", "StorageSQLite", "Threads", "CSodium",
                "CZlib",
                crypto, wire,
            ],
            swiftSettings: settings),
        // system: What the C library does and Swift does not see: the memory of the process, the files of programs that it starts.
        .target(name: "CGlibc"),
        // program: The commands of the program.
        .target(
            name: "OkaeriProgram",
            dependencies: [
                "AuthServiceAPI", "Backups", "CGlibc", "Domain", "HTTPSupport", "KiiAPI", "NCMBAPI", "OkaeriServer",
                "OutboundServices", "ParseAPI", "PasswordHashes", "StoragePostgreSQL", "Threads",
                arguments, sdk, wire, crypto,
            ],
            swiftSettings: settings),
        // program: The program for use, `okaeri`.
        .executableTarget(name: "OkaeriMain", dependencies: ["OkaeriProgram"], swiftSettings: settings),
        // development: The program for development, `okaeri-dev`: the same commands with fake providers.
        .executableTarget(
            name: "OkaeriDevelopment",
            dependencies: ["Domain", "FakeProviders", "OkaeriProgram", "OkaeriServer", logging],
            swiftSettings: settings),
        // development: The simulator, `okaeri-simulate`: rules and SQLite engine on a simulated disk, clock and network.
        .executableTarget(
            name: "OkaeriSimulate",
            dependencies: ["CSQLite", "Domain", "Storage", "StorageSQLite", "TestWorld", arguments, crypto],
            swiftSettings: settings),
        // tests: A domain with a clock that stands still and SQLite in memory.
        .target(
            name: "TestWorld", dependencies: ["Domain", "Storage", crypto, cryptoExtras, wire],
            path: "Tests/Support/TestWorld",
            swiftSettings: settings),
        // tests: What every storage engine must do.
        .target(
            name: "StoreConformance", dependencies: ["Domain", "Storage", "TestWorld", wire],
            path: "Tests/Support/StoreConformance", swiftSettings: settings),
        // tests: Password hashes.
        .testTarget(
            name: "PasswordHashesTests", dependencies: ["Domain", "PasswordHashes"], swiftSettings: settings),
        // tests: A PostgreSQL of the tests' own.
        .target(
            name: "TestPostgreSQL", dependencies: ["Domain", "StoragePostgreSQL", "CLibPQ"],
            path: "Tests/Support/TestPostgreSQL", exclude: ["cluster.sh", "patroni.sh"], swiftSettings: settings),
        // tests: A mail server that keeps what it gets.
        .target(
            name: "TestMailServer", path: "Tests/Support/TestMailServer", exclude: ["mail-server.py"],
            swiftSettings: settings),
        // tests: Mail and HTTP clients.
        .testTarget(
            name: "OutboundServicesTests",
            dependencies: ["CCurl", "Domain", "OutboundServices", "TestMailServer", "Threads", "WebAuthn", wire],
            exclude: ["Fixtures", "https-server.py"],
            swiftSettings: settings),
        // tests: Sealed files and the revocation journal.
        .testTarget(
            name: "BackupsTests", dependencies: ["Backups", "Domain", "StorageSQLite", "TestWorld", crypto, wire],
            swiftSettings: settings),
        // tests: Threads.
        .testTarget(name: "ThreadsTests", dependencies: ["Threads"], swiftSettings: settings),
        // tests: The rules, on SQLite in memory.
        .testTarget(
            name: "DomainTests",
            dependencies: [
                "Domain", "Storage", "StorageSQLite", "TestWorld", "WebAuthn", crypto, cryptoExtras, wire,
            ],
            swiftSettings: settings),
        // tests: Both engines against the contracts, and migrations from every past schema.
        .testTarget(
            name: "StorageTests",
            dependencies: [
                "Domain", "Storage", "StorageSQLite", "StoragePostgreSQL", "StoreConformance", "TestPostgreSQL",
                "TestWorld", "CSQLite", wire,
            ],
            exclude: ["Fixtures"],
            swiftSettings: settings),
        // tests: Okaeri's own protocol, pages and dashboard, from request to response.
        .testTarget(
            name: "NativeAPITests",
            dependencies: [
                "Backups", "Domain", "FakeProviders", "HTTPSupport", "NCMBAPI", "NativeAPI", "OkaeriServer",
                "OutboundServices",
                "ParseAPI", "Dashboard", "PageSupport", "PasswordHashes", "QRCodes", "Storage", "WebPages",
                "StorageSQLite", "StoragePostgreSQL", "TestPostgreSQL", "TestWorld", hummingbird,
                httpTypes, nioCore, nioEmbedded, nioHTTP1, nioHTTPTypes, nioHTTPTypesHTTP1, nioPosix, lifecycle,
                logging, crypto,
                sdk, verifier,
                wire,
                yams,
            ],
            swiftSettings: settings),
        // tests: The parsers of foreign bytes, each as a function of any bytes.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Backups", "Domain", "HTTPSupport", "KiiAPI", "NCMBAPI", "OkaeriProgram", "OutboundServices",
                "PageSupport", "ParseAPI", "PasswordHashes", "QRCodes", "Storage", "StoragePostgreSQL", "StorageSQLite",
                "WebAuthn", "WebPages", crypto, httpTypes, nioCore, nioEmbedded, nioHTTP1, nioHTTPTypes,
                nioHTTPTypesHTTP1, sdk, sdkTesting, sdkUI, verifier, wire,
            ],
            path: "Tests/Support/FuzzTargets", swiftSettings: settings),
        // tests: The fuzzers' targets, on their corpora.
        .testTarget(name: "FuzzTargetsTests", dependencies: ["FuzzTargets", "TestWorld"], swiftSettings: settings),
        // tests: Recorded requests and responses of old apps.
        .target(
            name: "RecordedFlows", dependencies: [wire], path: "Tests/Support/RecordedFlows", swiftSettings: settings),
        // tests: Parse, Kii and AuthService, by recorded flows.
        .testTarget(
            name: "ForeignAPITests",
            dependencies: [
                "AuthServiceAPI", "Dashboard", "Domain", "FakeProviders", "HTTPSupport", "KiiAPI", "NCMBAPI",
                "NativeAPI", "OkaeriServer", "OutboundServices", "ParseAPI", "PasswordHashes", "RecordedFlows",
                "Storage", "StorageSQLite", "TestWorld", "WebPages", hummingbird, httpTypes, nioCore, nioPosix, logging,
                crypto, sdk, wire,
            ],
            exclude: ["Fixtures"], swiftSettings: settings),
        // tests: NCMB, by recorded flows.
        .testTarget(
            name: "NCMBAPITests",
            dependencies: [
                "Domain", "FakeProviders", "HTTPSupport", "NCMBAPI", "OkaeriServer", "OutboundServices",
                "PasswordHashes", "RecordedFlows", "StorageSQLite", hummingbird, httpTypes, nioCore, logging, crypto,
                wire,
            ],
            exclude: ["Fixtures"], swiftSettings: settings),
        // tests: The built programs, as processes.
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "Backups", "Domain", "OkaeriProgram", "OutboundServices", "Storage", "StorageSQLite", "TestMailServer",
                "TestPostgreSQL", "TestWorld", "CSQLite", crypto,
                sdk, wire,
            ],
            swiftSettings: settings),
    ]
)

import Foundation
import OkaeriTesting
import Testing

@testable import Okaeri

#if canImport(Security)
    import Security
#endif

@Suite("Keychain items")
struct KeychainTests {
    typealias Attributes = KeychainAttributes
    let item = Attributes.item(service: "okaeri", name: "demo.record", accessGroup: nil)

    @Test("are generic passwords of their service, in the data protection Keychain")
    func plainItem() {
        #expect(
            item.values == [
                .itemClass: .genericPassword, .service: .text("okaeri"), .account: .text("demo.record"),
                .dataProtection: .flag(true),
            ])
    }

    #if os(Linux)
        @Test("have files beside them that can be read after the first unlock too, also those of an older version")
        func filesBesideThem() async throws {
            let folder = try TemporaryFolder()
            let asked = Protected<Set<String>>([])
            // Linux tells the path of an open file.
            let protection = FileProtection { file in
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(file)")
                asked.withValue { _ = $0.insert(path.map { ($0 as NSString).lastPathComponent } ?? "") }
            }
            func use(_ protection: FileProtection) async throws {
                let vault = ItemVault(
                    items: MemoryItems(), keys: SoftwareKeys(), directory: folder.url, reinstall: .keep,
                    protection: protection)
                let lock = try await vault.lock(.logIn, for: "demo")
                _ = try await vault.deviceKey(for: "demo")
                try await vault.saveRecord(Data("x".utf8), for: "demo")
                lock.release()
            }
            try await use(protection)
            var names = asked.withValue { $0 }
            #expect(names.isSuperset(of: [folder.url.lastPathComponent, "demo.log-in.lock", "demo.installing.lock"]))
            // New contents get their class before they are put in place.
            for file in ["demo.installed", "demo.record"] {
                #expect(names.contains { $0.hasPrefix("\(file).") && !$0.hasSuffix(".lock") }, "\(file)")
            }
            asked.withValue { $0 = [] }
            try await use(protection)
            names = asked.withValue { $0 }
            #expect(names.isSuperset(of: [folder.url.lastPathComponent, "demo.log-in.lock", "demo.installed"]))
            withExtendedLifetime(folder) {}
        }
    #endif

    @Test("belong to the access group that app and extensions share, once one is named")
    func sharedItem() {
        let shared = Attributes.item(service: "okaeri", name: "demo.record", accessGroup: "TEAMID.com.example.app")
        #expect(shared.values[.accessGroup] == .text("TEAMID.com.example.app"))
        #expect(shared.values.count == item.values.count + 1)
    }

    @Test("are written so that they can be read after the first unlock, on this device only")
    func written() {
        let contents = Attributes.contents(Data("x".utf8))
        #expect(contents.values == [.data: .data(Data("x".utf8)), .accessible: .afterFirstUnlockThisDeviceOnly])
        #expect(item.merging(contents).values.count == item.values.count + 2)
    }

    @Test("are asked for one by one, for their data, whatever they were written with")
    func reading() {
        var expected = item.values
        expected[.returnsData] = .flag(true)
        expected[.limit] = .one
        #expect(item.reading.values == expected)
    }

    @Test("that cannot be read now may be there; for an entitlement nobody waits, and the error says what is missing")
    func failures() {
        for status: Int32 in [-25_308, -25_291, -34_017, -1] {
            let failure = KeychainFailure(status: status)
            #expect(failure.readingError == .unreadableNow("Keychain status \(status)"))
            #expect(failure.reason == "Keychain status \(status)")
        }
        let missing = KeychainFailure(status: -34_018)
        #expect(missing.readingError == .unwritable(missing.reason))
        #expect(missing.reason.contains("-34018") && missing.reason.contains("keychain-access-groups"))
        #expect(!missing.reason.contains("\n"))
    }

    @Test("to which a process is not entitled are no new device, and the error of each call names the reason")
    func notEntitled() async throws {
        let (world, folder, items) = (World(), try TemporaryFolder(), MemoryItems())
        func launch() -> OkaeriClient {
            let vault = ItemVault(items: items, keys: SoftwareKeys(), directory: folder.url, reinstall: .keep)
            return world.launch(vault: vault, inBackground: false)
        }
        let user = try await launch().logInAutomatically().user
        let failure = KeychainFailure(status: -34_018)
        items.failure.withValue { $0 = failure.readingError }
        let client = launch()
        await #expect(throws: OkaeriError.storageUnavailable(failure.reason)) { try await client.logInAutomatically() }
        await #expect(throws: OkaeriError.storageUnavailable(failure.reason)) { try await client.checkStorage() }
        #expect(await client.reaches { $0 != .unknown } == .storageLocked)
        items.failure.withValue { $0 = nil }
        #expect(try await client.logInAutomatically().user.id == user.id)
        #expect(world.server.users.count == 1)
        withExtendedLifetime(folder) {}
    }

    #if canImport(Security)
        @Test("say all this to the Keychain in its own words")
        func translation() {
            let item = Attributes.item(service: "okaeri", name: "demo.record", accessGroup: "group")
            let all = item.reading.merging(.contents(Data("x".utf8))).dictionary as NSDictionary
            let expected: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "okaeri",
                kSecAttrAccount as String: "demo.record", kSecAttrAccessGroup as String: "group",
                kSecUseDataProtectionKeychain as String: true, kSecReturnData as String: true,
                kSecMatchLimit as String: kSecMatchLimitOne, kSecValueData as String: Data("x".utf8),
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            #expect(all == expected as NSDictionary)
            #expect(all.count == Attributes.Name.allCases.count)
        }
    #endif
}

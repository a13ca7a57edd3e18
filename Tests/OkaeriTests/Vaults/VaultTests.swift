import Foundation
import OkaeriTesting
import Testing

@testable import Okaeri

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Vaults")
struct VaultTests {
    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("in a folder keep everything readable for the owner alone")
    func permissions() async throws {
        let folder = try TemporaryFolder()
        let directory = folder.url.appendingPathComponent("a/b")
        let vault = FileVault(directory: directory)
        _ = try await vault.deviceKey(for: "demo")
        try await vault.saveRecord(Data("x".utf8), for: "demo")
        _ = try await vault.lock(.change, for: "demo")
        #expect(try mode(directory.path) == 0o700)
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(files == ["demo.change.lock", "demo.key", "demo.record"])
        for file in files { #expect(try mode(directory.appendingPathComponent(file).path) == 0o600) }
        withExtendedLifetime(folder) {}
    }

    @Test("in a folder replace a record in one step: an open old file stays as it was")
    func atomicReplacement() async throws {
        let folder = try TemporaryFolder()
        let vault = FileVault(directory: folder.url)
        let record = folder.url.appendingPathComponent("demo.record")
        let old = folder.url.appendingPathComponent("old")
        try await vault.saveRecord(Data("old bytes".utf8), for: "demo")
        try FileManager.default.linkItem(at: record, to: old)
        try await vault.saveRecord(Data("new".utf8), for: "demo")
        #expect(try Data(contentsOf: old) == Data("old bytes".utf8))
        #expect(try await vault.loadRecord(for: "demo") == Data("new".utf8))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        #expect(files == ["demo.record", "old"])
        #expect(try mode(record.path) == 0o600)
        withExtendedLifetime(folder) {}
    }

    @Test("in a folder make a key in one step: no temporary file stays, whichever process was first")
    func atomicCreation() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("demo.key")
        #expect(try PrivateFile.create(file.path, contents: Data("first".utf8)))
        #expect(try !PrivateFile.create(file.path, contents: Data("second, and longer".utf8)))
        #expect(try Data(contentsOf: file) == Data("first".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["demo.key"])
        #expect(try mode(file.path) == 0o600)
        withExtendedLifetime(folder) {}
    }

    @Test("in a folder where a record cannot be replaced leave no temporary file behind")
    func failedReplacement() async throws {
        let folder = try TemporaryFolder()
        let vault = FileVault(directory: folder.url)
        let obstacle = folder.url.appendingPathComponent("demo.record/inside")
        try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
        await #expect(throws: VaultError.self) { try await vault.saveRecord(Data("x".utf8), for: "demo") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["demo.record"])
        withExtendedLifetime(folder) {}
    }

    @Test("in a folder forget the key first: without the record nothing says that it opens no account")
    func orderOfErasing() async throws {
        let folder = try TemporaryFolder()
        let vault = FileVault(directory: folder.url)
        try await vault.saveRecord(Data("x".utf8), for: "demo")
        let obstacle = folder.url.appendingPathComponent("demo.key/inside")
        try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
        await #expect(throws: VaultError.self) { try await vault.erase("demo") }
        #expect(try await vault.loadRecord(for: "demo") == Data("x".utf8))
        withExtendedLifetime(folder) {}
    }

    @Test("in a folder forget what a crash has left of a record and a key that were never put in place")
    func unfinished() async throws {
        let folder = try TemporaryFolder()
        let vault = FileVault(directory: folder.url)
        _ = try await vault.deviceKey(for: "demo")
        try await vault.saveRecord(Data("x".utf8), for: "demo")
        for name in ["demo.record.Ab3dE9", "demo.key.x0Y1z2", "demo.record.backup1", "other.record.Ab3dE9"] {
            try Data("secret".utf8).write(to: folder.url.appendingPathComponent(name))
        }
        try await vault.erase("demo")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        #expect(files == ["demo.record.backup1", "other.record.Ab3dE9"])
        try await FileVault(directory: folder.url.appendingPathComponent("missing")).erase("demo")
        withExtendedLifetime(folder) {}
    }

    @Test("in a folder keep records of any length", arguments: [0, 1, 16_384, 3_000_001])
    func lengths(count: Int) async throws {
        let folder = try TemporaryFolder()
        let vault = FileVault(directory: folder.url)
        let record = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await vault.saveRecord(record, for: "demo")
        #expect(try await vault.loadRecord(for: "demo") == record)
        withExtendedLifetime(folder) {}
    }

    #if os(Linux)
        /// In a process of its own, whose files may have four bytes meanwhile: the system takes a part, and then no more.
        @Test("in a folder on a full disk keep what was there, say so, and leave no temporary file behind")
        func fullDisk() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder()
                let file = folder.url.appendingPathComponent("demo.record").path
                try PrivateFile.replace(file, contents: Data("old".utf8))
                // Otherwise the limit ends the process.
                signal(SIGXFSZ, SIG_IGN)
                let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
                var limit = rlimit()
                guard getrlimit(resource, &limit) == 0 else { exit(2) }
                var small = limit
                small.rlim_cur = 4
                guard setrlimit(resource, &small) == 0 else { exit(3) }
                var fault: VaultError?
                do throws(VaultError) {
                    try PrivateFile.replace(file, contents: Data("new bytes".utf8))
                } catch {
                    fault = error
                }
                guard setrlimit(resource, &limit) == 0 else { exit(4) }
                guard fault == .unwritable("cannot write: the disk may be full") else { exit(5) }
                let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
                guard files == ["demo.record"], try PrivateFile.read(file) == Data("old".utf8) else { exit(6) }
                withExtendedLifetime(folder) {}
            }
        }
    #endif

    @Test(
        "make new names survive a loss of power in the folder that Foundation names too",
        arguments: ["/a/b", "/a/b.c/d.record", "/a", "a/b", "../a", "/花/e\u{301}/x", "/a b/%2F"])
    func folders(path: String) {
        #expect(PrivateFile.folder(of: path) == (path as NSString).deletingLastPathComponent)
    }

    @Test("find the folder by bytes: a slash ends it whatever accent follows, and without one it is the current folder")
    func foldersByBytes() {
        #expect(PrivateFile.folder(of: "/a/\u{301}b") == "/a")
        #expect(PrivateFile.folder(of: "a") == ".")
    }

    @Test(
        "in a folder keep applications apart, whatever their ids hold", arguments: ["a", "A", "../a", "a/b", "花", "."])
    func names(application: String) async throws {
        let folder = try TemporaryFolder()
        let vault = FileVault(directory: folder.url)
        try await vault.saveRecord(Data(application.utf8), for: application)
        try await vault.saveRecord(Data("other".utf8), for: "other")
        #expect(try await vault.loadRecord(for: application) == Data(application.utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 2)
        withExtendedLifetime(folder) {}
    }

    @Test("in a folder tell absence from failure")
    func absence() async throws {
        let folder = try TemporaryFolder()
        let vault = FileVault(directory: folder.url)
        #expect(try await vault.loadRecord(for: "demo") == nil)
        #expect(try await FileVault(directory: folder.url.appendingPathComponent("none")).loadRecord(for: "x") == nil)
        // A folder where the file should be cannot be read, not even by root.
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("demo.record"), withIntermediateDirectories: false)
        await #expect(throws: VaultError.unreadableNow("cannot read the file: Is a directory")) {
            try await vault.loadRecord(for: "demo")
        }
        withExtendedLifetime(folder) {}
    }

    @Test("in a folder that cannot be written say so")
    func unwritable() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("file")
        try Data().write(to: file)
        let vault = FileVault(directory: file)
        await #expect(throws: VaultError.unwritable("cannot make the folder")) {
            try await vault.saveRecord(Data(), for: "demo")
        }
        withExtendedLifetime(folder) {}
    }

    @Test("in a folder that cannot be made fail the log-in, and leave nothing waiting")
    func unwritableLogIn() async throws {
        let folder = try TemporaryFolder()
        let world = World()
        let path = folder.url.appendingPathComponent("path")
        try Data().write(to: path)
        let client = world.launch(vault: FileVault(directory: path))
        await #expect(throws: OkaeriError.storageUnavailable("cannot make the folder")) {
            try await client.logInAutomatically()
        }
        try FileManager.default.removeItem(at: path)
        #expect(await client.currentUser == nil)
        #expect(world.server.requests.isEmpty)
        guard case .firstVisit = try await client.logInAutomatically() else {
            Issue.record("not .firstVisit")
            return
        }
        withExtendedLifetime(folder) {}
    }

    @Test("in a folder do not use a damaged key, and do not replace it either")
    func damagedKey() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("demo.key")
        try Data("rubbish".utf8).write(to: file)
        let client = World().launch(vault: FileVault(directory: folder.url))
        await #expect(throws: OkaeriError.storageDamaged("the stored bytes are no P-256 key")) {
            try await client.logInAutomatically()
        }
        #expect(try Data(contentsOf: file) == Data("rubbish".utf8))
        withExtendedLifetime(folder) {}
    }

    @Test("in a folder with a damaged record still lead to the same user")
    func damagedRecord() async throws {
        let folder = try TemporaryFolder()
        let world = World()
        let user = try await world.launch(vault: FileVault(directory: folder.url)).logInAutomatically().user
        try Data("{".utf8).write(to: folder.url.appendingPathComponent("demo.record"))
        let client = world.launch(vault: FileVault(directory: folder.url))
        #expect(await client.reaches { $0 != .unknown } == .loggedOut(.ended))
        #expect(try await client.logInAutomatically().user.id == user.id)
        withExtendedLifetime(folder) {}
    }

    @Test(
        "in a folder with a damaged record lead to nobody but the user of the key in use, and not to one who logged out",
        arguments: [true, false])
    func damagedRecordOfRegistered(isLoggedOut: Bool) async throws {
        let folder = try TemporaryFolder()
        let (world, password) = (World(), "a long enough secret")
        let kenji = try await world.launch(vault: TestVault()).signUp(username: "kenji", password: password)
        let old = world.launch(vault: FileVault(directory: folder.url), inBackground: false)
        let guest = try await old.logInAutomatically().user
        try await old.logIn(identifier: "kenji", password: password)
        if isLoggedOut { await old.logOut() }
        #expect(await old.deliverPendingLogOuts())
        try Data("{".utf8).write(to: folder.url.appendingPathComponent("demo.record"))
        let client = world.launch(vault: FileVault(directory: folder.url), inBackground: false)
        let reason: OkaeriState.LogOutReason = isLoggedOut ? .registeredUserLoggedOut : .ended
        #expect(await client.reaches { $0 != .unknown } == .loggedOut(reason))
        let next = try await client.logInAutomatically().user
        #expect((next.id == kenji.id) == !isLoggedOut && next.id != guest.id)
        try await client.forgetDevice()
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!files.contains { $0.hasSuffix(".key") || $0.hasSuffix(".record") })
        withExtendedLifetime(folder) {}
    }

    @Test("in a folder make one key, however many ask at once")
    func oneKey() async throws {
        let folder = try TemporaryFolder()
        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask { try await FileVault(directory: folder.url).deviceKey(for: "demo").publicKey.thumbprint }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(names.count == 1)
        withExtendedLifetime(folder) {}
    }

    @Test("give a lock to one at a time, and purposes do not exclude each other", arguments: [true, false])
    func locks(inFolder: Bool) async throws {
        let folder = try TemporaryFolder()
        let vault: any CredentialVault = inFolder ? FileVault(directory: folder.url) : MemoryVault()
        let order = Protected<[String]>([])
        let first = try await vault.lock(.change, for: "demo")
        let other = try await vault.lock(.logIn, for: "demo")
        let waiting = Task {
            let second = try await vault.lock(.change, for: "demo")
            order.withValue { $0.append("second") }
            second.release()
        }
        order.withValue { $0.append("first") }
        first.release()
        first.release()
        try await waiting.value
        #expect(order.withValue { $0 } == ["first", "second"])
        withExtendedLifetime((folder, other)) {}
    }

    @Test("in a folder do not wait for ever for a lock that another process keeps")
    func patience() async throws {
        let folder = try TemporaryFolder()
        let clock = TestClock()
        let held = try await FileVault(directory: folder.url).lock(.logIn, for: "demo")
        let waiting = Task {
            try await FileVault(directory: folder.url, lockPatience: .seconds(60), clock: clock).lock(
                .logIn, for: "demo")
        }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(60))
        _ = try await waiting.value
        held.release()
        withExtendedLifetime(folder) {}
    }

    @Test("give locks free when nobody holds their value any more")
    func forgottenLock() async throws {
        let vault = MemoryVault()
        _ = try await vault.lock(.change, for: "demo")
        try await vault.lock(.change, for: "demo").release()
    }

    @Test("in memory forget key and record on request")
    func erasing() async throws {
        let vault = MemoryVault()
        let key = try await vault.deviceKey(for: "demo").publicKey
        try await vault.saveRecord(Data([1]), for: "demo")
        #expect(try await vault.deviceKey(for: "demo").publicKey == key)
        try await vault.erase("demo")
        #expect(try await vault.loadRecord(for: "demo") == nil)
        #expect(try await vault.deviceKey(for: "demo").publicKey != key)
    }
}

import Foundation

/// What a process is wrapped in so that its disk or its system misbehaves. It ends with the process; nothing stays mounted.
struct Confinement: Sendable {
    private let command: [String]
    /// Whether the process has mounts of its own.
    private let hasOwnMounts: Bool

    func start(_ arguments: [String], environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess("/usr/bin/env", command + [Program.path()] + arguments, environment: environment)
    }

    /// Starts a command that sees the disk as another process does.
    func start(_ arguments: [String], beside process: ChildProcess) throws -> ChildProcess {
        let users = geteuid() == 0 ? [] : ["--user", "--preserve-credentials"]
        let enter = hasOwnMounts ? ["nsenter", "--target", String(process.id), "--mount"] + users : []
        return try ChildProcess("/usr/bin/env", enter + [Program.path()] + arguments)
    }

    /// A path as a process outside must write it.
    func view(of path: String, _ process: ChildProcess) -> String {
        hasOwnMounts ? "/proc/\(process.id)/root\(path)" : path
    }

    /// A data folder that cannot be written. The folder must exist.
    static func readOnly(_ folder: String) async throws -> Confinement {
        if try await canMount() {
            return Confinement(
                mounting: #"mount --bind "$0" "$0" && mount -o remount,bind,ro "$0""#, over: folder)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
        return byRights
    }

    /// A user whose rights count: they mean nothing to root, so that the program runs as somebody else then.
    static var byRights: Confinement {
        let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        return Confinement(command: geteuid() == 0 ? nobody : [], hasOwnMounts: false)
    }

    /// A system that gives the process so many files.
    static func files(_ count: Int) -> Confinement {
        Confinement(command: ["sh", "-c", #"ulimit -n \#(count) && exec "$@""#, "sh"], hasOwnMounts: false)
    }

    fileprivate init(mounting script: String, over folder: String) {
        let users = geteuid() == 0 ? [] : ["--map-root-user"]
        command = ["unshare", "--mount"] + users + ["sh", "-c", script + #" && exec "$@""#, folder]
        hasOwnMounts = true
    }

    fileprivate init(command: [String], hasOwnMounts: Bool) {
        self.command = command
        self.hasOwnMounts = hasOwnMounts
    }

    /// Whether processes may have mounts of their own here; in a container often not.
    fileprivate static func canMount() async throws -> Bool {
        let users = geteuid() == 0 ? [] : ["--map-root-user"]
        let trial = try ChildProcess(
            "/usr/bin/env", ["unshare", "--mount"] + users + ["mount", "-t", "tmpfs", "none", "/tmp"])
        return try await trial.finished().status == 0
    }
}

/// A disk that a test can fill and empty again.
struct SmallDisk: Sendable {
    let confinement: Confinement
    /// Whether it is a file system of its own, of two megabytes.
    let isMounted: Bool

    /// A file system of its own in the place of the folder; where that is not allowed, a limit of the size of files.
    init(in folder: String) async throws {
        isMounted = try await Confinement.canMount()
        confinement =
            isMounted
            ? Confinement(mounting: #"mount -t tmpfs -o size=2m,mode=700 none "$0""#, over: folder)
            : Confinement(command: ["sh", "-c", #"trap '' XFSZ; exec "$@""#, folder], hasOwnMounts: false)
    }

    /// Takes all the space that is left.
    func fill(_ server: TestServer) async throws {
        guard isMounted else { return try await limitFiles(of: server, to: "1:") }
        let descriptor = open(server.data + "/ballast", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TestFault("no ballast: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        for size in [65_536, 4096, 1] {
            let bytes = [UInt8](repeating: 1, count: size)
            while write(descriptor, bytes, size) == size {}
        }
    }

    /// Gives the space back.
    func empty(_ server: TestServer) async throws {
        guard isMounted else { return try await limitFiles(of: server, to: "unlimited:") }
        guard unlink(server.data + "/ballast") == 0 else { throw TestFault("the ballast stays") }
    }

    private func limitFiles(of server: TestServer, to limit: String) async throws {
        let finished = try await ChildProcess(
            "/usr/bin/env", ["prlimit", "--pid", String(server.process.id), "--fsize=\(limit)"]
        ).finished()
        guard finished.status == 0 else { throw TestFault(finished.errors) }
    }
}

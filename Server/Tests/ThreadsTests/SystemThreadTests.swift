import Dispatch
import Foundation
import Synchronization
import Testing
import Threads

@Suite("A thread of the system", .timeLimit(.minutes(20)))
struct SystemThreadTests {
    @Test(
        "has its name in the system's tools, of which 15 bytes are shown",
        arguments: ["short", "longer than fifteen bytes"])
    func named(name: String) async {
        let shown: String = await withCheckedContinuation { continuation in
            let isStarted = SystemThread.start(name) {
                let bytes = FileManager.default.contents(atPath: "/proc/thread-self/comm") ?? Data()
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
            if !isStarted { continuation.resume(returning: "") }
        }
        #expect(shown == "\(name.prefix(15))\n")
    }

    @Test("sleeps no shorter than it is to")
    func sleeps() {
        let begin = ContinuousClock.now
        SystemThread.sleep(.milliseconds(20))
        #expect(begin.duration(to: .now) >= .milliseconds(20))
        SystemThread.sleep(.seconds(-1))
    }

    @Test("waits until another one has changed something under the same lock, and is woken alone or with all")
    func condition() async {
        let (condition, counted) = (ThreadCondition(), Counted())
        let ended = DispatchGroup()
        for _ in 0..<8 {
            ended.enter()
            let isStarted = SystemThread.start("waiting") {
                condition.lock()
                while counted.tickets == 0 { condition.wait() }
                counted.tickets -= 1
                condition.unlock()
                ended.leave()
            }
            if !isStarted { ended.leave() }
        }
        for _ in 0..<4 {
            condition.withLock { counted.tickets += 1 }
            condition.signal()
        }
        condition.withLock {
            counted.tickets += 4
            condition.broadcast()
        }
        await withCheckedContinuation { continuation in ended.notify(queue: .global()) { continuation.resume() } }
        let left = condition.withLock { counted.tickets }
        #expect(left == 0)
    }

    /// Unchecked: touched under the condition's lock only.
    private final class Counted: @unchecked Sendable {
        var tickets = 0
    }
}

@Suite("Another program", .timeLimit(.minutes(20)))
struct ChildProgramTests {
    /// Runs a script of the shell to its end.
    private static func run(
        _ script: String, _ environment: [String: String] = [:]
    ) throws -> (said: String, ending: ChildProgram.Ending) {
        let pipe = Pipe()
        let program = try ChildProgram(
            path: "/bin/sh", arguments: ["-c", script, "name", "a b", ""], environment: environment,
            output: .descriptor(pipe.fileHandleForWriting.fileDescriptor), errors: .nowhere)
        try pipe.fileHandleForWriting.close()
        let said = try pipe.fileHandleForReading.readToEnd() ?? Data()
        while true {
            if let ending = program.ending() { return (String(decoding: said, as: UTF8.self), ending) }
            SystemThread.sleep(.milliseconds(1))
        }
    }

    @Test("has its arguments, its own environment and nothing to read")
    func given() throws {
        let (said, ending) = try Self.run(#"echo "$# $1 $OWN $HOME"; cat"#, ["OWN": "given", "PATH": "/usr/bin:/bin"])
        #expect(said == "2 a b given \n" && ending == .exit(status: 0))
    }

    @Test(
        "says how it ended",
        arguments: [("exit 3", .exit(status: 3)), ("kill -9 $$", .signal(9))] as [(String, ChildProgram.Ending)])
    func endings(script: String, ending: ChildProgram.Ending) throws { #expect(try Self.run(script).ending == ending) }

    @Test("has no open file of this process but its outputs, whatever flags they have")
    func closed() throws {
        let file = open("/dev/null", O_RDONLY)
        defer { close(file) }
        #expect(fcntl(file, F_GETFD) == 0)
        let (said, _) = try Self.run("[ -e /proc/self/fd/\(file) ] && echo open; :", ["PATH": "/usr/bin:/bin"])
        #expect(said.isEmpty)
    }

    @Test("takes all signals though the thread that starts it holds them back, and is of the group that Ctrl-C ends")
    func signals() async throws {
        let result: Result<(said: String, ending: ChildProgram.Ending), any Error> =
            await withCheckedContinuation { continuation in
                let isStarted = SystemThread.start("holds back") {
                    var all = sigset_t()
                    sigfillset(&all)
                    pthread_sigmask(SIG_SETMASK, &all, nil)
                    // The shell names its group, and then asks itself to end.
                    let script = "read -r id name state parent group rest </proc/$$/stat; echo $group; kill -TERM $$; :"
                    continuation.resume(returning: Result { try Self.run(script) })
                }
                if !isStarted { continuation.resume(returning: .failure(POSIXError(.EAGAIN))) }
            }
        let (said, ending) = try result.get()
        #expect(said == "\(getpgrp())\n" && ending == .signal(SIGTERM))
    }

    @Test("that is not there is not started")
    func missing() {
        let fault = #expect(throws: ChildProgram.Fault.self) {
            try ChildProgram(path: "/nowhere/program", arguments: [], environment: [:], output: .nowhere, errors: .same)
        }
        #expect(fault?.description == "No such file or directory")
    }

    @Test("ends when it is stopped, and stays ended")
    func stopped() throws {
        let program = try ChildProgram(
            path: "/bin/sleep", arguments: ["600"], environment: [:], output: .nowhere, errors: .nowhere)
        #expect(program.ending() == nil)
        program.stop()
        program.stop()
        #expect(program.ending() == .signal(SIGKILL))
    }

    /// In a process of its own, which starts the program as root and is nobody from then on.
    @Test("of another user goes on when it is stopped, and is not waited for", .enabled(if: geteuid() == 0))
    func ofAnotherUser() async {
        await #expect(processExitsWith: .success) {
            // Without its reader the program ends, which is when this process has.
            let pipe = Pipe()
            let program = try ChildProgram(
                path: "/bin/sh", arguments: ["-c", "while echo; do sleep 0.1; done"],
                environment: ["PATH": "/usr/bin:/bin"],
                output: .descriptor(pipe.fileHandleForWriting.fileDescriptor), errors: .nowhere)
            guard setuid(65_534) == 0 else { exit(2) }
            program.stop()
            guard program.ending() == nil else { exit(3) }
            withExtendedLifetime(pipe) {}
        }
    }
}

import Foundation
import Testing

/// Walks the tree of commands as the program itself tells it, so that no new one is forgotten.
@Suite("Help")
struct HelpTests {
    @Test("is printed with what to type, what it does and an example", arguments: [[], ["demo"], ["user", "show"]])
    func printed(_ command: [String]) async throws {
        let finished = try await Program.run(command + ["--help"])
        #expect(finished.status == 0)
        #expect(finished.errors.isEmpty)
        #expect(finished.output.contains("USAGE: okaeri"))
        #expect(finished.output.contains("Example"))
        #expect(finished.output.contains("  okaeri " + command.joined(separator: " ")))
    }

    @Test("has a sentence for every command and everything that can be typed behind it, and an example of it")
    func everyCommand() async throws {
        let root = try await CommandTree.root()
        let commands = root.all(below: [])
        #expect(commands.count > 60)
        for (path, command) in commands {
            let line = path.joined(separator: " ")
            #expect(command.abstract?.hasSuffix(".") == true, "\(line): \(command.abstract ?? "no sentence")")
            let discussion = command.discussion ?? ""
            #expect(discussion.contains("Example"), "\(line) has no example")
            #expect(discussion.contains("\n  \(line)"), "\(line): the example is of another command")
            for argument in command.arguments ?? [] where argument.shouldDisplay {
                #expect(argument.abstract?.isEmpty == false, "\(line): nothing is said of \(argument.valueName ?? "")")
            }
        }
    }

    @Test("shows examples whose lines a terminal of 80 columns does not break")
    func narrowExamples() async throws {
        for (path, command) in try await CommandTree.root().all(below: []) {
            let lines = (command.discussion ?? "").split(separator: "\n").filter { $0.hasPrefix("  ") }
            for line in lines { #expect(line.count <= 78, "\(path.joined(separator: " ")): \(line)") }
        }
    }

    @Test("is not all that is said of an option that a command does not have: the call is refused")
    func unknownOptions() async throws {
        let root = try await CommandTree.root()
        try await expectWrongCalls(root.all(below: []).map { Array($0.path.dropFirst()) + ["--no-such-option"] })
    }

    @Test("is what every option that takes a value says when it has none")
    func missingValues() async throws {
        let root = try await CommandTree.root()
        // Options of groups stand behind many commands: each is tried behind the first.
        var calls: [String: [String]] = [:]
        for (path, command) in root.all(below: []) {
            for option in command.arguments ?? [] where option.kind == "option" && option.shouldDisplay {
                guard let name = option.names?.first(where: { $0.kind == "long" })?.name, calls[name] == nil else {
                    continue
                }
                calls[name] = Array(path.dropFirst()) + ["--\(name)"]
            }
        }
        #expect(calls.count > 50)
        try await expectWrongCalls(Array(calls.values))
    }

    /// Calls the program, a few at a time, and expects each call to be refused before anything is opened.
    private func expectWrongCalls(_ calls: [[String]]) async throws {
        let folder = TestFolder()
        let data = "\(folder.path)/none"
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, call) in calls.enumerated() {
                if number >= 4 { _ = try await group.next() }
                group.addTask {
                    let finished = try await Program.run(call, environment: ["OKAERI_DATA": data])
                    #expect(finished.status == 2, "\(call): \(finished.errors)")
                    #expect(
                        finished.output.isEmpty && finished.errors.hasPrefix("okaeri: "), "\(call): \(finished.errors)")
                }
            }
            try await group.waitForAll()
        }
        #expect(!FileManager.default.fileExists(atPath: data))
    }
}

import Foundation
import Testing

/// The scripts by which shells complete commands and options.
@Suite("Completions")
struct CompletionTests {
    private let folder = TestFolder()

    @Test("know every command", arguments: ["bash", "zsh", "fish"])
    func everyCommand(shell: String) async throws {
        let script = try await Self.script(shell)
        for (path, command) in try await CommandTree.root().all(below: []) {
            #expect(script.contains(command.commandName), "\(path.joined(separator: " "))")
        }
    }

    @Test("know every option that is shown", arguments: ["bash", "zsh", "fish"])
    func everyOption(shell: String) async throws {
        let script = try await Self.script(shell)
        for (path, command) in try await CommandTree.root().all(below: []) {
            for argument in command.arguments ?? [] where argument.shouldDisplay {
                for name in argument.names ?? [] where name.kind == "long" {
                    // fish writes the name without its dashes.
                    #expect(script.contains(name.name), "\(path.joined(separator: " ")) --\(name.name)")
                }
            }
        }
    }

    @Test(
        "complete what was begun, in bash",
        arguments: [
            ("okaeri ser", ["serve"]), ("okaeri user sh", ["show"]), ("okaeri serve --li", ["--listen"]),
            ("okaeri application cre", ["create"]), ("okaeri no-such-command x", []),
        ])
    func completed(line: String, expected: [String]) async throws {
        try folder.make()
        try await Self.script("bash").write(toFile: "\(folder.path)/okaeri", atomically: true, encoding: .utf8)
        let ask = """
            . "$1"; read -ra COMP_WORDS <<<"$2"; COMP_LINE=$2 COMP_POINT=${#2} COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _okaeri okaeri "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let bash = try ChildProcess("/bin/bash", ["-c", ask, "ask", "\(folder.path)/okaeri", line])
        let finished = try await bash.finished()
        #expect(finished.errors.isEmpty)
        #expect(finished.output.split(separator: "\n").map(String.init) == expected)
    }

    private static func script(_ shell: String) async throws -> String {
        let finished = try await Program.run("--generate-completion-script", shell)
        #expect(finished.status == 0)
        return finished.output
    }
}

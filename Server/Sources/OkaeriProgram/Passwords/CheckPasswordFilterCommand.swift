import ArgumentParser
import Domain
import Foundation
import PasswordHashes

/// `okaeri passwords check-filter`
struct CheckPasswordFilterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-filter",
        abstract: "Look at a filter, and look passwords up in it.",
        discussion: """
            Passwords are read from standard input, one on a line, and never shown: a line of the answer says whether its \
            password is on the list. The exit status is 0 in either case.

            Example:
              okaeri passwords check-filter passwords.filter < words.txt
            """)

    @Argument(help: ArgumentHelp("The filter.", valueName: "file"))
    var filter: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let opened: PasswordFilter
        do {
            opened = try PasswordFilter(path: filter)
        } catch {
            throw CommandFault.failed("\(error)")
        }
        if isatty(FileHandle.standardInput.fileDescriptor) != 0 {
            Console.tell("Type passwords, one on a line; Ctrl-D ends.")
        }
        var answers: [Bool] = []
        while let line = readLine() {
            guard let password = Password(line) else {
                throw CommandFault.failed(
                    "Line \(answers.count + 1) is no password: 1 to \(Password.maximumBytes) bytes are expected.")
            }
            do {
                answers.append(try await opened.contain(password))
            } catch {
                throw CommandFault.failed("\(error.reason): make it anew by “okaeri passwords build-filter”.")
            }
        }
        guard !output.isJSON else {
            return Console.write(json: Output(passwords: opened.count, isOnList: answers))
        }
        Console.write("\(filter) holds \(opened.count) passwords.")
        for (index, isOnList) in answers.enumerated() {
            Console.write("Line \(index + 1): \(isOnList ? "on the list" : "not on the list")")
        }
    }

    private struct Output: Encodable {
        let passwords: UInt64
        let isOnList: [Bool]
    }
}

import ArgumentParser
import Domain
import Foundation
import PasswordHashes

/// `okaeri passwords build-filter`
struct BuildPasswordFilterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build-filter",
        abstract: "Make a filter of a published list of leaked passwords.",
        discussion: """
            The list has a SHA-1 digest in 40 hexadecimal digits on each line, in any order, and behind a colon how often the \
            password was found, as the list of Have I Been Pwned has it. With --text a line is a password. Memory is bounded, \
            whatever the size; beside the filter, eight bytes a line are needed on the disk until the end. The filter has \
            three bytes a line, and refuses one in some 130,000 passwords that is not on the list.

            The server reads the filter that --password-filter names when it starts. A filter can be replaced beside a \
            running server, which goes on with the old one until it starts again.

            Examples:
              okaeri passwords build-filter pwned-passwords-sha1.txt \\
                --output passwords.filter
              zcat list.gz | okaeri passwords build-filter - --output passwords.filter \\
                --minimum-count 10
              okaeri passwords build-filter words.txt --text --output words.filter
            """)

    @Argument(help: ArgumentHelp("The list; - for standard input.", valueName: "file"))
    var list: String

    @Option(help: ArgumentHelp("Where the filter goes.", valueName: "file"))
    var output: String

    @Option(help: ArgumentHelp("Leave out what was found less often.", valueName: "number"))
    var minimumCount = 1

    @Flag(help: "Each line is a password.")
    var text = false

    @OptionGroup var format: OutputOptions

    private static let chunk = 1 << 20

    func validate() throws {
        guard minimumCount >= 1 else { throw ValidationError("--minimum-count must be 1 or more.") }
        guard minimumCount == 1 || !text else { throw ValidationError("With --text there are no counts.") }
    }

    func run() throws {
        let (file, size) = try opened()
        let line = ProgressLine(isWanted: !format.isJSON)
        let report: PasswordFilterBuilder.Report
        do {
            defer { line.end() }
            report = try PasswordFilterBuilder(text ? .text : .sha1, minimumCount: minimumCount)(
                reading: { try file.read(upTo: Self.chunk) }, into: output
            ) { line.show(Self.text(of: $0, size: size)) }
        } catch {
            throw CommandFault.failed(error.description)
        }
        guard !format.isJSON else { return Console.write(json: Output(report)) }
        Console.write(
            """
            \(output) has \(report.entries.counted("password")) of \(report.lines.counted("line")) in \(report.fileBytes) bytes.
            The server uses it from its next start with --password-filter \(output).
            """)
    }

    private func opened() throws(CommandFault) -> (file: FileReader, size: UInt64?) {
        guard list != "-" else { return (FileReader(descriptor: STDIN_FILENO), nil) }
        do throws(SystemFault) {
            let file = try FileReader(path: list)
            return (file, file.byteCount)
        } catch {
            throw .failed("\(list) cannot be read: \(error).")
        }
    }

    private static func text(of progress: PasswordFilterBuilder.Progress, size: UInt64?) -> String {
        if progress.writtenParts > 0 { return "writing: \(progress.writtenParts * 100 / 256) %" }
        let read = "reading: \(progress.readBytes >> 20) MiB"
        guard let size, size > 0 else { return read }
        return "\(read) of \(size >> 20), \(min(100, progress.readBytes / (size / 100 + 1))) %"
    }

    private struct Output: Encodable {
        let lines: Int
        let leftOut: Int
        let passwords: UInt64
        let bytes: UInt64

        init(_ report: PasswordFilterBuilder.Report) {
            (lines, leftOut, passwords, bytes) = (report.lines, report.leftOut, report.entries, report.fileBytes)
        }
    }
}

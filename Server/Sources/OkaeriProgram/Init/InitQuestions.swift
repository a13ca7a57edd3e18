import Domain
import Foundation
import OkaeriServer

/// The questions of `okaeri init`, asked until the answer can be used.
struct InitQuestions {
    /// By setting name.
    private(set) var values: [String: String]
    /// The name of the first application; `nil` for none.
    private(set) var application: String?

    init(values: [String: String], application: String?) {
        self.values = values
        self.application = application
    }

    /// Asks for what is not there yet.
    ///
    /// - Throws: `CommandFault` when the answers end early.
    mutating func ask() throws(CommandFault) {
        if values[Setting.publicURL.name] == nil {
            try ask { questions throws(CommandFault) in
                questions.values[Setting.publicURL.name] = try Self.answer(
                    "1. By which address do apps reach the server? Such as https://id.example.com [only this machine does]"
                )
            }
        }
        if values[Setting.data.name] == nil, values[Setting.database.name] == nil {
            try ask { questions throws(CommandFault) in
                let answer = try Self.answer(
                    "2. Where are the data? A folder, or a postgresql:// address [okaeri-data]")
                let isDatabase = answer?.hasPrefix("postgres") == true && answer?.firstRange(of: "://") != nil
                questions.values[(isDatabase ? Setting.database : .data).name] = answer
            }
        }
        if values[Setting.smtpURL.name] == nil { try ask(Self.askForMail) }
        if application == nil {
            try ask { questions throws(CommandFault) in
                questions.application = try Self.answer("4. What is the first application called? [none]")
            }
        }
    }

    private static func askForMail(_ questions: inout InitQuestions) throws(CommandFault) {
        let given = questions.values[Setting.mailFrom.name]
        while true {
            guard let server = try answer("3. Which mail server? smtp://host:587 or smtps://host:465 [none]") else {
                return
            }
            // Each by itself, before the answers that belong to it are given for nothing: the sender stands for the one to come.
            guard questions.takes(given ?? "okaeri@example.com", by: server) else { continue }
            var sender = given
            while sender == nil {
                guard let typed = try answer("   From which address do mails come? [another mail server]") else {
                    break
                }
                if questions.takes(typed, by: server) { sender = typed }
            }
            guard let sender else { continue }
            questions.values[Setting.smtpURL.name] = server
            questions.values[Setting.mailFrom.name] = sender
            break
        }
        if questions.values[Setting.smtpUser.name] == nil {
            questions.values[Setting.smtpUser.name] = try answer(
                "   By which name does the server log in there? [none]")
        }
        guard questions.values[Setting.smtpUser.name] != nil, questions.values[Setting.smtpPassword.name] == nil else {
            return
        }
        questions.values[Setting.smtpPassword.name] = try password("   Its password: ")
    }

    /// Whether mails can come from an address by a mail server, without the log-in there. Says why not.
    private func takes(_ sender: String, by server: String) -> Bool {
        var tried = self
        tried.values[Setting.smtpURL.name] = server
        tried.values[Setting.mailFrom.name] = sender
        for setting in [Setting.smtpUser, .smtpPassword] { tried.values[setting.name] = nil }
        do throws(CommandFault) {
            _ = try tried.check()
            return true
        } catch {
            Console.tell(error.description)
            return false
        }
    }

    /// Asks one question again and again until the answers can be used together.
    private mutating func ask(_ question: (inout InitQuestions) throws(CommandFault) -> Void) throws(CommandFault) {
        while true {
            var tried = self
            try question(&tried)
            do throws(CommandFault) {
                _ = try tried.check()
                self = tried
                return
            } catch {
                Console.tell(error.description)
            }
        }
    }

    /// Holds the answers to the rules of `okaeri serve`.
    ///
    /// - Returns: the settings that they make.
    /// - Throws: `CommandFault`, which names setting, value and rule.
    func check() throws(CommandFault) -> ServerSettings {
        let settings = try ServerSettings.read(values, environment: [:])
        let faults = TextRule(maximumCharacters: CreateApplication.maximumNameCharacters)
            .faults(of: application, field: "application")
        guard faults.isEmpty else { throw .usage(faults.map(\.sentence).joined(separator: " ")) }
        return settings
    }

    /// The line that somebody types; `nil` for an empty one.
    private static func answer(_ question: String) throws(CommandFault) -> String? {
        Console.tell(question)
        guard let line = readLine() else { throw endedEarly }
        let answer = line.withoutBlanks
        return answer.isEmpty ? nil : answer
    }

    private static var endedEarly: CommandFault { .failed("The answers ended early. Nothing was written.") }

    /// The line that somebody types while the terminal does not show it.
    private static func password(_ question: String) throws(CommandFault) -> String {
        // The keys that end a program would leave a terminal behind that shows nothing: they end the line instead.
        let (interrupt, quit): (UInt8, UInt8) = (0x03, 0x1C)
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else { throw endedEarly }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO | ISIG)
        withUnsafeMutableBytes(of: &hidden.c_cc) { keys in
            keys[Int(clamping: VEOL)] = interrupt
            keys[Int(clamping: VEOL2)] = quit
        }
        Console.show(question)
        _ = tcsetattr(STDIN_FILENO, TCSADRAIN, &hidden)
        var line = [UInt8](repeating: 0, count: 1024)
        let count = read(STDIN_FILENO, &line, line.count)
        _ = tcsetattr(STDIN_FILENO, TCSADRAIN, &shown)
        Console.show("\n")
        guard count > 0, let end = line.prefix(count).last, end != interrupt, end != quit else { throw endedEarly }
        return String(decoding: line.prefix(end == UInt8(ascii: "\n") ? count - 1 : count), as: UTF8.self)
    }
}

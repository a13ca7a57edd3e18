import ArgumentParser
import Foundation
import Okaeri
import OkaeriWire

/// `okaeri demo transfer`
struct DemoTransferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Carry the demo's user to another phone.",
        discussion: """
            Without a code it plays the old phone and shows a transfer code. With a code it plays the new phone, for which \
            --state names another folder: its key leads to the same user from then on. The old phone learns of that at \
            its next launch, and confirms it or can undo it for a day. Until it confirms, the new phone of a guest does \
            nothing that the owner alone may, such as showing another code.

            Examples:
              okaeri demo transfer
              okaeri demo transfer 34AC-DEFG-HJKM-NPQR --state /tmp/new-phone
              okaeri demo --state /tmp/new-phone
              okaeri demo
              okaeri demo transfer --confirm
              okaeri demo transfer --undo
            """)

    @Argument(help: "The code that the old phone shows, in any case, with or without hyphens.")
    var code: String?

    @Flag(help: "On the old phone: take the devices out again that joined within the last day.")
    var undo = false

    @Flag(help: "On the old phone: confirm the devices that joined within the last day.")
    var confirm = false

    @Option(help: ArgumentHelp("On the old phone: write the code's QR picture to this file.", valueName: "file.svg"))
    var qr: String?

    @OptionGroup var options: DemoOptions

    func validate() throws {
        guard code == nil || !undo && !confirm && qr == nil else {
            throw ValidationError("A code is for the new phone; --undo, --confirm and --qr are for the old one.")
        }
        guard !undo || !confirm else { throw ValidationError("A device is confirmed or taken out again, not both.") }
    }

    func run() async throws {
        let okaeri = try options.client()
        let texts = options.language.transferTexts
        do {
            if let code {
                tell(try await okaeri.redeemTransferCode(code), texts)
            } else if undo || confirm {
                try await okaeri.logInAutomatically()
                let joined = try await okaeri.pendingNotices().filter { $0.kind == .deviceAdded }
                for notice in joined {
                    if undo {
                        try await okaeri.undoTransfer(notice.id)
                    } else {
                        try await okaeri.acknowledge(notice.id)
                    }
                }
                tell(joined, texts)
            } else {
                // A session of an anonymous user is fresh right after its log-in.
                try await okaeri.logInAutomatically()
                let issued = try await okaeri.issueTransferCode()
                try write(issued.qrSVG)
                tell(issued, texts)
            }
        } catch let error as OkaeriError {
            throw CommandFault(error, in: options.language)
        }
    }

    private func write(_ picture: String) throws(CommandFault) {
        guard let qr else { return }
        do {
            try Data(picture.utf8).write(to: URL(fileURLWithPath: qr))
        } catch {
            throw .failed("The file \(qr) cannot be written.")
        }
    }

    private func tell(_ issued: TransferCode, _ texts: DemoTransferTexts) {
        guard !options.output.isJSON else {
            return Console.write(
                json: Issued(
                    code: issued.code,
                    expiresAt: WireTime(
                        millisecondsSince1970: Int64((issued.expiresAt.timeIntervalSince1970 * 1000).rounded()))))
        }
        Console.write("\(texts.code) \(issued.code)\n\(texts.howTo)")
    }

    private func tell(_ result: TransferResult, _ texts: DemoTransferTexts) {
        guard !options.output.isJSON else {
            return Console.write(
                json: Joined(userId: result.welcome.user.id, leftUserId: result.leftUser?.id))
        }
        var lines = [texts.joined, "\(options.language.texts.user) \(result.welcome.user.id)"]
        if let left = result.leftUser { lines.append("\(texts.left) \(left.id)") }
        Console.write(lines.joined(separator: "\n"))
    }

    private func tell(_ joined: [Notice], _ texts: DemoTransferTexts) {
        let done = undo ? "undone" : "confirmed"
        guard !options.output.isJSON else { return Console.write(json: [done: joined.count]) }
        if undo {
            Console.write(joined.isEmpty ? texts.nothingToUndo : texts.undone)
        } else {
            Console.write(joined.isEmpty ? texts.nothingToConfirm : texts.confirmed)
        }
    }

    private struct Issued: Encodable {
        let code: String
        let expiresAt: WireTime
    }

    private struct Joined: Encodable {
        let userId: String
        let leftUserId: String?
    }
}

/// What the demo says of transfers, in one language.
struct DemoTransferTexts {
    let code: String
    let howTo: String
    let joined: String
    let left: String
    let deviceAdded: String
    let undone: String
    let nothingToUndo: String
    let confirmed: String
    let nothingToConfirm: String
}

extension DemoLanguage {
    var transferTexts: DemoTransferTexts {
        switch self {
        case .japanese:
            DemoTransferTexts(
                code: "引き継ぎコード", howTo: "新しい端末で入力してください。24時間以内に一度だけ使えます。",
                joined: "引き継ぎが完了しました。おかえりなさい", left: "この端末の以前のユーザー",
                deviceAdded:
                    "別の端末に引き継がれました。ご本人なら「okaeri demo transfer --confirm」で確認し、心当たりがなければ「okaeri demo transfer --undo」で取り消せます。",
                undone: "引き継ぎを取り消しました。", nothingToUndo: "取り消せる引き継ぎはありません。",
                confirmed: "新しい端末を確認しました。", nothingToConfirm: "確認する端末はありません。")
        case .korean:
            DemoTransferTexts(
                code: "기기 변경 코드", howTo: "새 기기에서 입력하세요. 24시간 안에 한 번만 사용할 수 있습니다.",
                joined: "기기 변경이 완료되었습니다. 다시 오신 것을 환영합니다", left: "이 기기의 이전 사용자",
                deviceAdded:
                    "다른 기기로 이어졌습니다. 본인이라면 “okaeri demo transfer --confirm”으로 확인하고, 아니라면 “okaeri demo transfer --undo”로 취소할 수 있습니다.",
                undone: "기기 변경을 취소했습니다.", nothingToUndo: "취소할 기기 변경이 없습니다.",
                confirmed: "새 기기를 확인했습니다.", nothingToConfirm: "확인할 기기가 없습니다.")
        case .english:
            DemoTransferTexts(
                code: "Transfer code", howTo: "Enter it on the new phone. It counts once, for 24 hours.",
                joined: "This phone has joined. Welcome back", left: "This phone's user before",
                deviceAdded: """
                    Another phone has joined. If that was you, confirm it: okaeri demo transfer --confirm. If not, undo it: \
                    okaeri demo transfer --undo
                    """,
                undone: "The other phone is out again.", nothingToUndo: "There is nothing to undo.",
                confirmed: "The other phone is confirmed.", nothingToConfirm: "There is nothing to confirm.")
        }
    }
}

import Domain

/// What the pages say, to which links in mails lead.
struct PageTexts {
    enum Page: String, CaseIterable, Sendable {
        case emailVerified = "verify_email_success"
        case invalidLink = "invalid_link"
        case invalidVerificationLink = "invalid_verification_link"
        case linkSent = "link_send_success"
        case linkNotSent = "link_send_fail"
        case passwordReset = "password_reset_success"
    }

    var pages: [Page: String]
    var choosePassword: String
    var newPassword: String
    var save: String
    var refused: String
    var weak: String
    var missing: String

    static func `in`(_ language: MailLanguage) -> PageTexts {
        switch language {
        case .english: english
        case .japanese: japanese
        case .korean: korean
        }
    }

    private static let english = PageTexts(
        pages: [
            .emailVerified: "Your mail address is confirmed.", .invalidLink: "This link is not valid.",
            .invalidVerificationLink: "This link is not valid any more. Ask for a new mail in the app.",
            .linkSent: "A new mail is on its way.", .linkNotSent: "The mail could not be sent. Try again later.",
            .passwordReset: "Your password is changed. You can log in with it now.",
        ],
        choosePassword: "Choose a new password", newPassword: "New password", save: "Change password",
        refused: "This link is not valid any more. Ask for a new mail in the app.",
        weak: "This password cannot be used. Choose a longer one.", missing: "Type a new password.")

    private static let japanese = PageTexts(
        pages: [
            .emailVerified: "メールアドレスを確認しました。", .invalidLink: "このリンクは無効です。",
            .invalidVerificationLink: "このリンクは有効期限が切れています。アプリから新しいメールを送ってください。",
            .linkSent: "新しいメールを送信しました。", .linkNotSent: "メールを送信できませんでした。しばらくしてからもう一度お試しください。",
            .passwordReset: "パスワードを変更しました。新しいパスワードでログインできます。",
        ],
        choosePassword: "新しいパスワードの設定", newPassword: "新しいパスワード", save: "パスワードを変更",
        refused: "このリンクは有効期限が切れています。アプリから新しいメールを送ってください。",
        weak: "このパスワードは使えません。もっと長いものにしてください。", missing: "新しいパスワードを入力してください。")

    private static let korean = PageTexts(
        pages: [
            .emailVerified: "이메일 주소가 확인되었습니다.", .invalidLink: "유효하지 않은 링크입니다.",
            .invalidVerificationLink: "더 이상 유효하지 않은 링크입니다. 앱에서 메일을 다시 요청해 주세요.",
            .linkSent: "새 메일을 보냈습니다.", .linkNotSent: "메일을 보내지 못했습니다. 잠시 후 다시 시도해 주세요.",
            .passwordReset: "비밀번호가 변경되었습니다. 새 비밀번호로 로그인할 수 있습니다.",
        ],
        choosePassword: "새 비밀번호 설정", newPassword: "새 비밀번호", save: "비밀번호 변경",
        refused: "더 이상 유효하지 않은 링크입니다. 앱에서 메일을 다시 요청해 주세요.",
        weak: "사용할 수 없는 비밀번호입니다. 더 긴 비밀번호를 선택해 주세요.", missing: "새 비밀번호를 입력해 주세요.")
}

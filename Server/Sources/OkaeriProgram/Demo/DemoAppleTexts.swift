/// What the demo of Apple says, in one language.
struct DemoAppleTexts {
    let signUp: String
    let logIn: String
    let link: String
    let taken: String
    let unlink: String
    let deletion: String
    let merged: String
    let same: String
    let different: String
    let hello: String
    let revokedAtApple: String
    let notRevoked: String

    func greets(_ name: String) -> String { hello.replacing("%", with: name) }
    func sameUser(_ isSame: Bool) -> String { isSame ? same : different }
    func revoked(_ isRevoked: Bool) -> String { isRevoked ? revokedAtApple : notRevoked }
}

extension DemoLanguage {
    var appleTexts: DemoAppleTexts {
        switch self {
        case .japanese:
            DemoAppleTexts(
                signUp: "Appleでサインアップ", logIn: "別の端末でAppleログイン", link: "匿名ユーザーにAppleを連携",
                taken: "使用中のAppleアカウントを連携", unlink: "Appleの連携を解除",
                deletion: "ユーザーを削除", merged: "同じ人と確認でき、Appleに聞き直さずに統合しました。", same: "同じユーザーのままです。",
                different: "別のユーザーになりました。", hello: "はじめまして、%さん！",
                revokedAtApple: "Appleにも連携の取り消しが伝わりました。",
                notRevoked: "Appleへの取り消しはまだ伝わっていません。サーバーが再試行します。")
        case .korean:
            DemoAppleTexts(
                signUp: "Apple로 가입", logIn: "다른 기기에서 Apple로 로그인", link: "익명 사용자에 Apple 연결",
                taken: "이미 사용 중인 Apple 계정 연결", unlink: "Apple 연결 해제",
                deletion: "사용자 삭제", merged: "같은 사람임이 확인되어 Apple에 다시 묻지 않고 합쳤습니다.", same: "같은 사용자입니다.",
                different: "다른 사용자가 되었습니다.", hello: "처음 뵙겠습니다, %님!",
                revokedAtApple: "Apple에도 연결 취소가 전달되었습니다.",
                notRevoked: "Apple에 아직 전달되지 않았습니다. 서버가 다시 시도합니다.")
        case .english:
            DemoAppleTexts(
                signUp: "Sign up with Apple", logIn: "Log in with Apple on another device",
                link: "Link Apple to an anonymous user", taken: "Link an Apple account that is taken",
                unlink: "Unlink Apple",
                deletion: "Delete the user", merged: "The same person: merged without asking Apple again.",
                same: "The same user as before.", different: "Another user than before.",
                hello: "Nice to meet you, %!", revokedAtApple: "Apple has revoked the grant too.",
                notRevoked: "Apple has not been asked yet; the server tries again.")
        }
    }
}

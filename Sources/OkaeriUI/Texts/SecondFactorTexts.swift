extension TextTable {
    static var secondFactors: [TextKey: Entry] {
        [
            .totpField: Entry(
                "Code from the authenticator app",
                "認証アプリのコード",
                "인증 앱의 코드"),
            .recoveryCodeField: Entry(
                "Recovery code",
                "リカバリーコード",
                "복구 코드"),
            .secondFactorTitle: Entry(
                "Two-step verification",
                "二段階認証",
                "2단계 인증"),
            .secondFactorIntroduction: Entry(
                "Enter the code that your authenticator app shows.",
                "認証アプリに表示されているコードを入力してください。",
                "인증 앱에 표시된 코드를 입력해 주세요."),
            .secondFactorRecoveryIntroduction: Entry(
                "Enter one of your recovery codes. Each counts once.",
                "リカバリーコードを1つ入力してください。各コードは1回だけ使えます。",
                "복구 코드 중 하나를 입력해 주세요. 각 코드는 한 번만 사용할 수 있습니다."),
            .secondFactorButton: Entry(
                "Continue",
                "続ける",
                "계속"),
            .secondFactorUseRecoveryCode: Entry(
                "Use a recovery code",
                "リカバリーコードを使う",
                "복구 코드 사용"),
            .secondFactorUseApp: Entry(
                "Use the authenticator app",
                "認証アプリを使う",
                "인증 앱 사용"),
            .enrolmentTitle: Entry(
                "Add an authenticator app",
                "認証アプリを追加",
                "인증 앱 추가"),
            .enrolmentIntroduction: Entry(
                "Scan the QR code with an authenticator app, or open the app on this device. Then enter the code that it shows.",
                "認証アプリでQRコードを読み取るか、この端末で認証アプリを開いてください。その後、表示されたコードを入力してください。",
                "인증 앱으로 QR 코드를 스캔하거나 이 기기에서 인증 앱을 열어 주세요. 그다음 표시된 코드를 입력해 주세요."),
            .enrolmentOpen: Entry(
                "Open in the authenticator app",
                "認証アプリで開く",
                "인증 앱에서 열기"),
            .enrolmentPicture: Entry(
                "QR code for the authenticator app",
                "認証アプリ用のQRコード",
                "인증 앱용 QR 코드"),
            .enrolmentCopy: Entry(
                "Copy the key",
                "キーをコピー",
                "키 복사"),
            .enrolmentButton: Entry(
                "Add",
                "追加する",
                "추가"),
            .recoveryCodesTitle: Entry(
                "Recovery codes",
                "リカバリーコード",
                "복구 코드"),
            .recoveryCodesIntroduction: Entry(
                "Each of these codes lets you in once when your phone is gone. They are shown this once.",
                "スマートフォンを失くしたとき、各コードで1回ログインできます。表示されるのは今回だけです。",
                "휴대전화를 잃어버렸을 때 각 코드로 한 번 로그인할 수 있습니다. 지금 한 번만 표시됩니다."),
            .recoveryCodesCopy: Entry(
                "Copy all",
                "すべてコピー",
                "모두 복사"),
            .recoveryCodesKept: Entry(
                "I have kept them",
                "保管しました",
                "보관했습니다"),
            .secondFactorsTitle: Entry(
                "Two-step verification",
                "二段階認証",
                "2단계 인증"),
            .secondFactorsIntroduction: Entry(
                "With an authenticator app, nobody logs in with your password alone.",
                "認証アプリを追加すると、パスワードだけではログインできなくなります。",
                "인증 앱을 추가하면 비밀번호만으로는 로그인할 수 없습니다."),
            .secondFactorsAdd: Entry(
                "Add an authenticator app",
                "認証アプリを追加",
                "인증 앱 추가"),
            .secondFactorsLeft: Entry(
                "Recovery codes left: {count}",
                "残りのリカバリーコード：{count}",
                "남은 복구 코드: {count}"),
            .secondFactorsReplace: Entry(
                "New recovery codes",
                "リカバリーコードを再発行",
                "복구 코드 재발급"),
            .secondFactorsRemoveQuestion: Entry(
                "Remove {name}? Its codes no longer count.",
                "{name}を解除しますか？このアプリのコードは使えなくなります。",
                "이 인증 앱을 해제할까요? ({name}) 이 앱의 코드를 더 이상 사용할 수 없습니다."),
            .secondFactorsRemoved: Entry(
                "The authenticator app has been removed.",
                "認証アプリを解除しました。",
                "인증 앱을 해제했습니다."),
        ]
    }
}

extension TextTable {
    static var accounts: [TextKey: Entry] {
        [
            .conflictTitle: Entry(
                "You have two accounts",
                "アカウントが2つあります",
                "계정이 두 개 있습니다"),
            .conflictIntroduction: Entry(
                "Choose which one to go on with.",
                "どちらのアカウントを使うか選んでください。",
                "사용할 계정을 선택해 주세요."),
            .conflictKeep: Entry(
                "Keep the account on this device",
                "この端末のアカウントを使う",
                "이 기기의 계정 사용"),
            .conflictSwitch: Entry(
                "Go on with the other account",
                "もう一方のアカウントを使う",
                "다른 계정 사용"),
            .conflictMerge: Entry(
                "Bring both together",
                "2つをまとめる",
                "두 계정 합치기"),
            .conflictButton: Entry(
                "Continue",
                "決定",
                "확인"),
            .conflictDone: Entry(
                "Done. You can undo this for seven days.",
                "完了しました。7日以内なら元に戻せます。",
                "완료했습니다. 7일 안에 되돌릴 수 있습니다."),
            .conflictUndo: Entry(
                "Undo",
                "元に戻す",
                "되돌리기"),
            .conflictUndone: Entry(
                "Undone. Both accounts are as they were.",
                "元に戻しました。",
                "되돌렸습니다."),
            .transferTitle: Entry(
                "To another device",
                "機種変更",
                "기기 변경"),
            .transferIntroduction: Entry(
                "The code moves your account to another device. Never show it to anybody else.",
                "コードを使って別の端末にアカウントを引き継げます。ほかの人には見せないでください。",
                "코드로 다른 기기에 계정을 옮길 수 있습니다. 다른 사람에게 보여 주지 마세요."),
            .transferButton: Entry(
                "Make a code",
                "コードを発行する",
                "코드 발급"),
            .transferCopy: Entry(
                "Copy",
                "コピー",
                "복사"),
            .transferWithdraw: Entry(
                "Withdraw the code",
                "コードを無効にする",
                "코드 무효화"),
            .transferExpires: Entry(
                "Valid until {time}",
                "有効期限：{time}",
                "유효 기간: {time}"),
            .transferExpired: Entry(
                "The code is no longer valid. Make a new one.",
                "コードの期限が切れました。新しいコードを発行してください。",
                "코드가 만료되었습니다. 새 코드를 발급해 주세요."),
            .transferPicture: Entry(
                "QR code of the transfer code",
                "引き継ぎコードのQRコード",
                "기기 변경 코드의 QR 코드"),
            .transferEntryTitle: Entry(
                "From another device",
                "データの引き継ぎ",
                "데이터 가져오기"),
            .transferEntryIntroduction: Entry(
                "Enter the code that the other device shows.",
                "元の端末に表示されたコードを入力してください。",
                "기존 기기에 표시된 코드를 입력해 주세요."),
            .transferEntryButton: Entry(
                "Take over",
                "引き継ぐ",
                "가져오기"),
            .transferEntryScan: Entry(
                "Scan QR code",
                "QRコードを読み取る",
                "QR 코드 스캔"),
            .transferEntryLeft: Entry(
                "What this device had before is erased on {time}.",
                "この端末の以前のデータは{time}に消去されます。",
                "이 기기의 이전 데이터는 {time}에 삭제됩니다."),
            .transferNoticeTitle: Entry(
                "Was that you?",
                "引き継ぎの確認",
                "기기 변경 확인"),
            .transferNoticeIntroduction: Entry(
                "\"{name}\" joined your account by a transfer code: {time}. Confirm only what you did yourself.",
                "{time}に、引き継ぎコードで「{name}」がアカウントに加わりました。ご自身で行った場合だけ「はい」を選んでください。",
                "기기 변경 코드로 다른 기기가 계정에 추가되었습니다. ({name}, {time}) 본인이 한 경우에만 확인해 주세요."),
            .transferNoticeMine: Entry(
                "That was me",
                "はい、自分です",
                "네, 본인입니다"),
            .transferNoticeNotMine: Entry(
                "That was not me",
                "いいえ、心当たりがありません",
                "아니요, 본인이 아닙니다"),
            .transferNoticeQuestion: Entry(
                "Take \"{name}\" out of your account? It is logged out at once, and cannot come back without a new code.",
                "「{name}」をアカウントから外しますか？その端末はすぐにログアウトされ、新しいコードがなければ戻れません。",
                "이 기기를 계정에서 제외할까요? ({name}) 바로 로그아웃되며, 새 코드가 없으면 돌아올 수 없습니다."),
            .transferNoticeUndo: Entry(
                "Take it out",
                "アカウントから外す",
                "계정에서 제외"),
            .transferNoticeConfirmed: Entry(
                "Confirmed. The other device can use everything now.",
                "確認しました。もう一方の端末ですべての機能を使えます。",
                "확인했습니다. 이제 다른 기기에서 모든 기능을 사용할 수 있습니다."),
            .transferNoticeUndone: Entry(
                "The other device is out of your account.",
                "もう一方の端末をアカウントから外しました。",
                "다른 기기를 계정에서 제외했습니다."),
            .sessionsTitle: Entry(
                "Where you are logged in",
                "ログイン中の端末",
                "로그인된 기기"),
            .sessionsCurrent: Entry(
                "This device",
                "この端末",
                "이 기기"),
            .sessionsUnknown: Entry(
                "Unknown device",
                "不明な端末",
                "알 수 없는 기기"),
            .sessionsLastUsed: Entry(
                "Last used {time}",
                "最終利用：{time}",
                "마지막 사용: {time}"),
            .sessionsEnd: Entry(
                "Log out",
                "ログアウト",
                "로그아웃"),
            .sessionsEndQuestion: Entry(
                "Log out on {name}?",
                "{name}からログアウトしますか？",
                "{name}에서 로그아웃할까요?"),
            .sessionsEndOthers: Entry(
                "Log out everywhere else",
                "ほかの端末すべてからログアウト",
                "다른 모든 기기에서 로그아웃"),
            .sessionsEndOthersQuestion: Entry(
                "Log out on all other devices?",
                "ほかの端末すべてからログアウトしますか？",
                "다른 모든 기기에서 로그아웃할까요?"),
            .sessionsEnded: Entry(
                "Devices logged out: {count}",
                "{count}台の端末からログアウトしました。",
                "기기 {count}대에서 로그아웃했습니다."),
            .deviceKeysTitle: Entry(
                "Your devices",
                "お使いの端末",
                "내 기기"),
            .deviceKeysIntroduction: Entry(
                "These devices log in by themselves. Remove one that you no longer have.",
                "次の端末は自動でログインします。手元にない端末は削除してください。",
                "다음 기기는 자동으로 로그인됩니다. 더 이상 가지고 있지 않은 기기는 삭제해 주세요."),
            .deviceKeysAdded: Entry(
                "Added {time}",
                "追加: {time}",
                "추가: {time}"),
            .deviceKeysRemove: Entry(
                "Remove",
                "削除",
                "삭제"),
            .deviceKeysRemoveQuestion: Entry(
                "Remove {name}? It is logged out at once.",
                "{name}を削除しますか？その端末はすぐにログアウトされます。",
                "이 기기를 삭제할까요? ({name}) 바로 로그아웃됩니다."),
            .deviceKeysRemoveOthers: Entry(
                "Remove all other devices",
                "ほかのすべての端末を削除",
                "다른 모든 기기 삭제"),
            .deviceKeysRemoveOthersQuestion: Entry(
                "Remove all other devices? They are logged out at once.",
                "ほかのすべての端末を削除しますか？すぐにログアウトされます。",
                "다른 모든 기기를 삭제할까요? 바로 로그아웃됩니다."),
            .deviceKeysRemoved: Entry(
                "Removed devices: {count}",
                "削除した端末: {count}台",
                "삭제한 기기: {count}대"),
            .passkeysTitle: Entry(
                "Your passkeys",
                "パスキー",
                "패스키"),
            .passkeysIntroduction: Entry(
                "With a passkey you log in by finger, face or the device's code, on all your devices.",
                "パスキーを使うと、どの端末でも指紋、顔認証、または画面ロックでログインできます。",
                "패스키를 사용하면 모든 기기에서 지문, 얼굴 또는 화면 잠금으로 로그인할 수 있습니다."),
            .passkeysAdd: Entry(
                "Add a passkey",
                "パスキーを追加",
                "패스키 추가"),
            .passkeysAdded: Entry(
                "The passkey has been added.",
                "パスキーを追加しました。",
                "패스키를 추가했습니다."),
            .passkeysName: Entry(
                "Name of the passkey",
                "パスキーの名前",
                "패스키 이름"),
            .passkeysRename: Entry(
                "Rename",
                "名前を変更",
                "이름 변경"),
            .passkeysRemoveQuestion: Entry(
                "Remove the passkey {name}? You can no longer log in with it.",
                "パスキー「{name}」を削除しますか？このパスキーではログインできなくなります。",
                "이 패스키를 삭제하시겠습니까? ({name}) 이 패스키로는 더 이상 로그인할 수 없습니다."),
            .passkeysRemoved: Entry(
                "The passkey has been removed.",
                "パスキーを削除しました。",
                "패스키를 삭제했습니다."),
            .deletionTitle: Entry(
                "Delete account",
                "アカウントの削除",
                "계정 삭제"),
            .deletionIntroduction: Entry(
                "You are logged out everywhere at once. Everything is erased some days later; until then you can come back.",
                "すべての端末からすぐにログアウトします。すべてのデータは一定期間後に消去します。それまでは元に戻せます。",
                "모든 기기에서 바로 로그아웃됩니다. 일정 기간이 지나면 모든 데이터가 삭제되며, 그 전에는 복구할 수 있습니다."),
            .deletionConfirmation: Entry(
                "Type {word} to confirm",
                "確認のため「{word}」と入力してください",
                "확인을 위해 다음 단어를 입력해 주세요: {word}"),
            .deletionWord: Entry(
                "DELETE",
                "削除",
                "삭제"),
            .deletionButton: Entry(
                "Delete my account",
                "アカウントを削除する",
                "계정 삭제하기"),
            .deletionExport: Entry(
                "Get my data first",
                "先にデータを受け取る",
                "먼저 내 데이터 받기"),
            .deletionDone: Entry(
                "Your account is erased on {time}.",
                "アカウントは{time}に消去されます。",
                "계정은 {time}에 삭제됩니다."),
            .deletionRestore: Entry(
                "Restore my account",
                "アカウントを元に戻す",
                "계정 복구하기"),
            .deletionRestored: Entry(
                "Your account is back.",
                "アカウントを元に戻しました。",
                "계정을 복구했습니다."),
            .presenceTitle: Entry(
                "Is it still you?",
                "ご本人確認",
                "본인 확인"),
            .presenceIntroduction: Entry(
                "For this, please prove once more who you are.",
                "続けるには、もう一度ご本人であることを確認してください。",
                "계속하려면 본인임을 다시 확인해 주세요."),
            .presenceButton: Entry(
                "Confirm",
                "確認する",
                "확인"),
            .presenceWith: Entry(
                "Confirm with {provider}",
                "{provider}で確認",
                "{provider} 계정으로 확인"),
            .presencePasskey: Entry(
                "Confirm with a passkey",
                "パスキーで確認",
                "패스키로 확인"),
            .presenceCode: Entry(
                "Mail me a code",
                "コードをメールで受け取る",
                "메일로 코드 받기"),
            .presenceNothing: Entry(
                """
                This account has nothing to confirm with yet: no password, no linked account, no passkey and no verified \
                mail address. Verify your mail address, or ask those who make the app.
                """,
                """
                このアカウントには、ご本人であることを確認する方法（パスワード、連携アカウント、パスキー、確認済みの\
                メールアドレス）がまだありません。メールアドレスを確認するか、アプリの提供元にお問い合わせください。
                """,
                """
                이 계정에는 아직 본인임을 확인할 방법(비밀번호, 연결된 계정, 패스키, 인증된 메일 주소)이 없습니다. \
                메일 주소를 인증하거나 앱 제공자에게 문의해 주세요.
                """),
        ]
    }
}

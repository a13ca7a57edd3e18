/// The built-in words of every mail, in every language.
enum MailTexts {
    /// - Parameters:
    ///   - kind: What the mail is for.
    ///   - language: Its language.
    ///   - hasLink: Whether the reader follows a link instead of typing a code.
    ///   - further: A paragraph that only some of these mails have.
    /// - Returns: The template; its HTML is made from the text.
    static func template(
        for kind: MailKind, in language: MailLanguage, hasLink: Bool, further: String? = nil
    ) -> MailTemplate {
        let words =
            switch language {
            case .english: english(kind)
            case .japanese: japanese(kind)
            case .korean: korean(kind)
            }
        // A text message is short, and says by itself who sends it.
        if kind.isText {
            return MailTemplate(
                subject: words.subject, text: "\(hasLink ? words.withLink : words.withCode) \(words.closing)")
        }
        let parts = [hasLink ? words.withLink : words.withCode, further, words.closing, "{{application}}"]
        return MailTemplate(
            subject: words.subject, text: parts.compactMap { $0 }.joined(separator: "\n\n") + "\n")
    }

    struct Words {
        let subject: String
        let withCode: String
        let withLink: String
        let closing: String

        init(_ subject: String, code: String, link: String = "", closing: String) {
            self.subject = subject
            withCode = code
            withLink = link.isEmpty ? code : link
            self.closing = closing
        }
    }

    private static func english(_ kind: MailKind) -> Words {
        switch kind {
        case .logInCode:
            Words(
                "Your code to log in to {{application}}",
                code: "To log in to {{application}}, type this code in the app:\n\n{{code}}\n\n"
                    + "It is good for {{duration}} and can be used once.",
                closing: "If you did not ask for it, you need not do anything. Never tell this code to anybody.")
        case .emailVerification:
            Words(
                "Confirm your mail address for {{application}}",
                code: "To confirm the address {{email}}, type this code in the app:\n\n{{code}}\n\n"
                    + "It is good for {{duration}} and can be used once.",
                link: "To confirm the address {{email}}, open this page:\n\n{{link}}\n\n"
                    + "It is good for {{duration}} and can be used once.",
                closing: "If you did not ask for it, you need not do anything.")
        case .passwordReset:
            Words(
                "A new password for {{application}}",
                code: "To choose a new password for {{application}}, copy this code into the app:\n\n{{code}}\n\n"
                    + "It is good for {{duration}} and can be used once.",
                link: "To choose a new password for {{application}}, open this page:\n\n{{link}}\n\n"
                    + "It is good for {{duration}} and can be used once.",
                closing: "If you did not ask for it, you need not do anything: your password stays as it is.")
        case .registration:
            Words(
                "Finish your registration at {{application}}",
                code:
                    "To register at {{application}} with the address {{email}}, copy this code into the app and choose a "
                    + "password:\n\n{{code}}\n\nIt is good for {{duration}} and can be used once.",
                link: "To register at {{application}} with the address {{email}}, open this page and choose a password:"
                    + "\n\n{{link}}\n\nIt is good for {{duration}} and can be used once.",
                closing: "If you did not ask for it, you need not do anything: no account is made.")
        case .passwordChanged:
            Words(
                "Your password for {{application}} was changed",
                code: "The password of your account at {{application}} was changed just now.",
                closing: "If that was not you, ask for a new password in the app at once.")
        case .emailChanged:
            Words(
                "Your mail address for {{application}} was changed",
                code:
                    "The mail address of your account at {{application}} was changed just now. Other devices were logged out.",
                closing: "If that was not you, write to those who make the app at once.")
        case .emailRecovery:
            Words(
                "Your mail address for {{application}} was changed",
                code:
                    "The mail address of your account at {{application}} was changed just now. {{email}} does not lead to "
                    + "it any more.\n\nIf that was not you, copy this code into the page that gives the address back:"
                    + "\n\n{{code}}\n\nIt is good for {{duration}} and can be used once.",
                link:
                    "The mail address of your account at {{application}} was changed just now. {{email}} does not lead to "
                    + "it any more.\n\nIf that was not you, open this page. It gives you the address back, logs all devices "
                    + "out, and lets you choose a new password:\n\n{{link}}\n\n"
                    + "It is good for {{duration}} and can be used once.",
                closing: "If that was you, you need not do anything. Never pass this mail on to anybody.")
        case .identifiersChanged:
            Words(
                "What you log in to {{application}} with was changed",
                code: "The user name, or something else by which you log in to your account at {{application}}, was "
                    + "changed just now.",
                closing: "If that was not you, change your password in the app at once.")
        case .addressTaken:
            Words(
                "You have an account at {{application}} already",
                code:
                    "Somebody, perhaps you, wanted the address {{email}} for another account at {{application}}. "
                    + "You have one already: log in with it. If you have forgotten the password, ask for a new one there.",
                link:
                    "Somebody, perhaps you, wanted the address {{email}} for another account at {{application}}. "
                    + "You have one already. Log in with it here, or ask for a new password:\n\n{{link}}",
                closing: "If that was not you, you need not do anything: nobody got into your account.")
        case .accountUpgraded:
            Words(
                "Your account at {{application}} is permanent now",
                code: "An account at {{application}} was made permanent with the address {{email}}. "
                    + "It can be used from every device now.",
                closing: "If that was not you, you need not do anything: the address counts only once it is confirmed.")
        case .identityLinked:
            Words(
                "A way to log in to {{application}} was added",
                code: "Another way to log in was linked to your account at {{application}} just now.",
                closing: "If that was not you, remove it in the app and change your password at once.")
        case .identityUnlinked:
            Words(
                "A way to log in to {{application}} was removed",
                code: "A way to log in was removed from your account at {{application}} just now.",
                closing: "If that was not you, change your password in the app at once.")
        case .deviceJoined:
            Words(
                "A device was added to your account at {{application}}",
                code: "A device was added to your account at {{application}} with a transfer code just now.",
                closing: "If that was not you, undo it in the app on your other device, or change your password.")
        case .secondFactorChanged:
            Words(
                "The second step of your log-in to {{application}} was changed",
                code: "An authenticator app or the recovery codes of your account at {{application}} were changed.",
                closing:
                    "If that was not you, change your password in the app at once, and write to those who make it: "
                    + "somebody else's authenticator app would keep you out.")
        case .recoveryCodeUsed:
            Words(
                "A recovery code for {{application}} was used",
                code: "A recovery code of your account at {{application}} was used just now. It counts no more.",
                closing: "If that was not you, change your password in the app, and ask for new codes.")
        case .accountDisabled:
            Words(
                "Your account at {{application}} is blocked",
                code: "Your account at {{application}} was blocked. All devices were logged out.",
                closing: "If you think that this is a mistake, write to those who make the app.")
        case .accountEnabled:
            Words(
                "Your account at {{application}} is open again",
                code: "Your account at {{application}} is no longer blocked. You can log in as before.",
                closing: "If you have a question about it, write to those who make the app.")
        case .deletionRequested:
            Words(
                "Your account at {{application}} will be deleted",
                code: "The deletion of your account at {{application}} was requested. All devices were logged out. "
                    + "Until the data is erased, a log-in in the app can restore the account.",
                closing: "If that was not you, log in, restore the account and change your password.")
        case .accountRestored:
            Words(
                "Your account at {{application}} is restored",
                code: "The deletion of your account at {{application}} was taken back. Nothing is erased, and you can "
                    + "log in as before.",
                closing: "If that was not you, log in and change your password, or delete the account again.")
        case .accountErased:
            Words(
                "Your account at {{application}} was erased",
                code: "Your account at {{application}} was erased, with everything that was stored in it.",
                closing: "If you did not want that, write to those who make the app.")
        case .phoneVerification:
            Words(
                "{{application}}",
                code: "{{application}}: {{code}} is your code to confirm this phone number ({{duration}}).",
                closing: "Never tell it to anybody.")
        case .textedReset:
            Words(
                "{{application}}",
                code: "{{application}}: {{code}} is your code for a new password ({{duration}}).",
                link: "{{application}}: choose a new password at {{link}} ({{duration}}).",
                closing: "Never tell it to anybody.")
        case .chosenPassword:
            Words(
                "Your new password for {{application}}",
                code: "This is your new password for {{application}}:\n\n{{code}}\n\n"
                    + "Log in with it, and choose one of your own.",
                closing: "If you did not ask for it, ask for another one in the app at once.")
        case .textedPassword:
            Words(
                "{{application}}", code: "{{application}}: {{code}} is your new password.",
                closing: "Never tell it to anybody.")
        }
    }

    private static func japanese(_ kind: MailKind) -> Words {
        switch kind {
        case .logInCode:
            Words(
                "{{application}} ログイン用コード",
                code: "{{application}} にログインするには、アプリで次のコードを入力してください。\n\n{{code}}\n\n"
                    + "コードの有効期間は{{duration}}で、一度だけ使えます。",
                closing: "心当たりがない場合は、何もする必要はありません。このコードは誰にも教えないでください。")
        case .emailVerification:
            Words(
                "{{application}} メールアドレスの確認",
                code: "メールアドレス {{email}} を確認するため、アプリで次のコードを入力してください。\n\n{{code}}\n\n"
                    + "コードの有効期間は{{duration}}で、一度だけ使えます。",
                link: "メールアドレス {{email}} を確認するため、次のページを開いてください。\n\n{{link}}\n\n"
                    + "有効期間は{{duration}}で、一度だけ使えます。",
                closing: "心当たりがない場合は、何もする必要はありません。")
        case .passwordReset:
            Words(
                "{{application}} パスワードの再設定",
                code: "{{application}} の新しいパスワードを設定するには、次のコードをアプリに貼り付けてください。\n\n"
                    + "{{code}}\n\nコードの有効期間は{{duration}}で、一度だけ使えます。",
                link: "{{application}} の新しいパスワードを設定するには、次のページを開いてください。\n\n{{link}}\n\n"
                    + "有効期間は{{duration}}で、一度だけ使えます。",
                closing: "心当たりがない場合は、何もする必要はありません。今のパスワードはそのままです。")
        case .registration:
            Words(
                "{{application}} 会員登録のご案内",
                code: "メールアドレス {{email}} で {{application}} に登録するには、次のコードをアプリに貼り付けて、"
                    + "パスワードを設定してください。\n\n{{code}}\n\nコードの有効期間は{{duration}}で、一度だけ使えます。",
                link: "メールアドレス {{email}} で {{application}} に登録するには、次のページを開いて、"
                    + "パスワードを設定してください。\n\n{{link}}\n\n有効期間は{{duration}}で、一度だけ使えます。",
                closing: "心当たりがない場合は、何もする必要はありません。アカウントは作成されません。")
        case .passwordChanged:
            Words(
                "{{application}} パスワードが変更されました",
                code: "{{application}} のアカウントのパスワードが変更されました。",
                closing: "心当たりがない場合は、すぐにアプリでパスワードを再設定してください。")
        case .emailChanged:
            Words(
                "{{application}} メールアドレスが変更されました",
                code: "{{application}} のアカウントのメールアドレスが変更されました。ほかの端末はログアウトされました。",
                closing: "心当たりがない場合は、すぐにアプリの運営者に連絡してください。")
        case .emailRecovery:
            Words(
                "{{application}} メールアドレスが変更されました",
                code: "{{application}} のアカウントのメールアドレスが変更されました。{{email}} ではログインできなくなりました。\n\n"
                    + "心当たりがない場合は、アドレスを元に戻すページに次のコードを貼り付けてください。\n\n{{code}}\n\n"
                    + "コードの有効期間は{{duration}}で、一度だけ使えます。",
                link: "{{application}} のアカウントのメールアドレスが変更されました。{{email}} ではログインできなくなりました。\n\n"
                    + "心当たりがない場合は、次のページを開いてください。アドレスを元に戻し、すべての端末をログアウトして、"
                    + "新しいパスワードを設定できます。\n\n{{link}}\n\n有効期間は{{duration}}で、一度だけ使えます。",
                closing: "ご自分で変更した場合は、何もする必要はありません。このメールは誰にも転送しないでください。")
        case .identifiersChanged:
            Words(
                "{{application}} ログイン情報が変更されました",
                code: "{{application}} のアカウントのユーザー名など、ログインに使う情報が変更されました。",
                closing: "心当たりがない場合は、すぐにアプリでパスワードを変更してください。")
        case .addressTaken:
            Words(
                "{{application}} すでにアカウントがあります",
                code: "{{application}} で、メールアドレス {{email}} を別のアカウントに登録する操作がありました。"
                    + "このアドレスのアカウントはすでにあります。そのアカウントでログインしてください。"
                    + "パスワードを忘れた場合は、ログイン画面から再設定できます。",
                link: "{{application}} で、メールアドレス {{email}} を別のアカウントに登録する操作がありました。"
                    + "このアドレスのアカウントはすでにあります。次のページからログインするか、パスワードを再設定してください。\n\n{{link}}",
                closing: "心当たりがない場合は、何もする必要はありません。あなたのアカウントには誰も入っていません。")
        case .accountUpgraded:
            Words(
                "{{application}} アカウントを登録しました",
                code: "{{application}} のアカウントが、メールアドレス {{email}} で登録されました。"
                    + "これからはどの端末からも使えます。",
                closing: "心当たりがない場合は、何もする必要はありません。このアドレスは確認されるまで有効になりません。")
        case .identityLinked:
            Words(
                "{{application}} ログイン方法が追加されました",
                code: "{{application}} のアカウントに、別のログイン方法が連携されました。",
                closing: "心当たりがない場合は、すぐにアプリで連携を解除し、パスワードを変更してください。")
        case .identityUnlinked:
            Words(
                "{{application}} ログイン方法が削除されました",
                code: "{{application}} のアカウントから、ログイン方法の連携が解除されました。",
                closing: "心当たりがない場合は、すぐにアプリでパスワードを変更してください。")
        case .deviceJoined:
            Words(
                "{{application}} 端末が追加されました",
                code: "{{application}} のアカウントに、引き継ぎコードを使って新しい端末が追加されました。",
                closing: "心当たりがない場合は、すぐに以前の端末のアプリで引き継ぎを取り消すか、パスワードを変更してください。")
        case .secondFactorChanged:
            Words(
                "{{application}} 2段階認証が変更されました",
                code: "{{application}} のアカウントの認証アプリまたはリカバリーコードが変更されました。",
                closing: "心当たりがない場合は、すぐにアプリでパスワードを変更し、アプリの運営者に連絡してください。"
                    + "ほかの人の認証アプリが残っていると、ログインできなくなります。")
        case .recoveryCodeUsed:
            Words(
                "{{application}} リカバリーコードが使われました",
                code: "{{application}} のアカウントのリカバリーコードが1つ使われました。同じコードはもう使えません。",
                closing: "心当たりがない場合は、すぐにアプリでパスワードを変更し、コードを再発行してください。")
        case .accountDisabled:
            Words(
                "{{application}} アカウントが停止されました",
                code: "{{application}} のアカウントが停止され、すべての端末がログアウトされました。",
                closing: "お心当たりがない場合は、アプリの運営者にお問い合わせください。")
        case .accountEnabled:
            Words(
                "{{application}} アカウントの停止が解除されました",
                code: "{{application}} のアカウントの停止が解除されました。これまでどおりログインできます。",
                closing: "ご不明な点は、アプリの運営者にお問い合わせください。")
        case .deletionRequested:
            Words(
                "{{application}} アカウントの削除を受け付けました",
                code: "{{application}} のアカウントの削除を受け付け、すべての端末がログアウトされました。"
                    + "データが消去されるまでは、アプリでログインすればアカウントを元に戻せます。",
                closing: "心当たりがない場合は、ログインしてアカウントを元に戻し、パスワードを変更してください。")
        case .accountRestored:
            Words(
                "{{application}} アカウントの削除が取り消されました",
                code: "{{application}} のアカウントの削除が取り消されました。データは消去されず、これまでどおりログインできます。",
                closing: "心当たりがない場合は、ログインしてパスワードを変更するか、もう一度アカウントを削除してください。")
        case .accountErased:
            Words(
                "{{application}} アカウントが消去されました",
                code: "{{application}} のアカウントと、保存されていたすべてのデータが消去されました。",
                closing: "心当たりがない場合は、アプリの運営者にお問い合わせください。")
        case .phoneVerification:
            Words(
                "{{application}}", code: "{{application}}: 電話番号の確認コードは {{code}} です（有効期間{{duration}}）。",
                closing: "誰にも教えないでください。")
        case .textedReset:
            Words(
                "{{application}}", code: "{{application}}: パスワード再設定のコードは {{code}} です（有効期間{{duration}}）。",
                link: "{{application}}: パスワードの再設定はこちら {{link}} （有効期間{{duration}}）。", closing: "誰にも教えないでください。")
        case .chosenPassword:
            Words(
                "{{application}} 新しいパスワード",
                code: "{{application}} の新しいパスワードは次のとおりです。\n\n{{code}}\n\nログインしてから、ご自分のパスワードに変更してください。",
                closing: "心当たりがない場合は、すぐにアプリでパスワードを再設定してください。")
        case .textedPassword:
            Words(
                "{{application}}", code: "{{application}}: 新しいパスワードは {{code}} です。", closing: "誰にも教えないでください。")
        }
    }
}

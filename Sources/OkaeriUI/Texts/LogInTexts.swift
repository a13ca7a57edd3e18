extension TextTable {
    static var ways: [TextKey: Entry] {
        [
            .logInTitle: Entry(
                "Log In",
                "ログイン",
                "로그인"),
            .logInButton: Entry(
                "Log In",
                "ログイン",
                "로그인"),
            .logInForgot: Entry(
                "Forgot password?",
                "パスワードをお忘れですか？",
                "비밀번호를 잊으셨나요?"),
            .logInRemember: Entry(
                "Log in automatically",
                "次回から自動的にログインする",
                "다음부터 자동 로그인"),
            .logInSignUp: Entry(
                "Sign Up",
                "新規登録",
                "회원가입"),
            .logInCode: Entry(
                "Log in by mailed code",
                "メールのコードでログイン",
                "메일 코드로 로그인"),
            .logInTransfer: Entry(
                "Enter a transfer code",
                "引き継ぎコードを入力",
                "기기 변경 코드 입력"),
            .logInGuest: Entry(
                "Continue as guest",
                "ゲストとして続ける",
                "게스트로 계속하기"),
            .logInNewGuest: Entry(
                "Start as a new guest",
                "新しいゲストとして始める",
                "새 게스트로 시작하기"),
            .logOutRegistered: Entry(
                "To come back you log in with your password, or in another way that you have set up.",
                "次に利用するときは、パスワードなど設定済みの方法でログインが必要です。",
                "다시 이용하려면 비밀번호 등 설정해 둔 방법으로 로그인해야 합니다."),
            .logOutGuest: Entry(
                "You come back on this device only. Save your data first to find it on another one.",
                "戻れるのはこの端末だけです。別の端末でも使うには、先にデータを保存してください。",
                "이 기기에서만 다시 돌아올 수 있습니다. 다른 기기에서도 쓰려면 먼저 데이터를 저장하세요."),
            .logInWeb: Entry(
                "Log in with the browser",
                "ブラウザでログイン",
                "브라우저로 로그인"),
            .logInPasskey: Entry(
                "Log in with a passkey",
                "パスキーでログイン",
                "패스키로 로그인"),
            .logInWith: Entry(
                "Log in with {provider}",
                "{provider}でログイン",
                "{provider} 계정으로 로그인"),
            .logInLastUsed: Entry(
                "Last used",
                "前回使用",
                "최근 사용"),
            .logInFailed: Entry(
                "Login Failed",
                "ログインできませんでした",
                "로그인하지 못했습니다"),
            .logInMismatch: Entry(
                "The username and password you entered don't match",
                "ユーザー名とパスワードが一致しません",
                "입력한 사용자 이름과 비밀번호가 일치하지 않습니다"),
            .signUpTitle: Entry(
                "Sign Up",
                "新規登録",
                "회원가입"),
            .signUpButton: Entry(
                "Sign Up",
                "登録する",
                "가입하기"),
            .signUpFailed: Entry(
                "Sign Up Error",
                "登録できませんでした",
                "가입하지 못했습니다"),
            .signUpEmailInvalid: Entry(
                "The email address is invalid. Please enter a valid email.",
                "メールアドレスの形式が正しくありません。正しいアドレスを入力してください。",
                "이메일 주소가 올바르지 않습니다. 올바른 주소를 입력해 주세요."),
            .signUpUsernameMissing: Entry(
                "Please enter a username.",
                "ユーザー名を入力してください。",
                "사용자 이름을 입력해 주세요."),
            .signUpPasswordMissing: Entry(
                "Please enter a password.",
                "パスワードを入力してください。",
                "비밀번호를 입력해 주세요."),
            .signUpEmailMissing: Entry(
                "Please enter an email.",
                "メールアドレスを入力してください。",
                "이메일 주소를 입력해 주세요."),
            .usernameTaken: Entry(
                "The username '{name}' is taken. Please try choosing a different username.",
                "ユーザー名「{name}」はすでに使われています。別のユーザー名を入力してください。",
                "‘{name}’: 이미 사용 중인 사용자 이름입니다. 다른 이름을 입력해 주세요."),
            .emailTaken: Entry(
                "The email '{name}' is taken. Please try using a different email.",
                "メールアドレス「{name}」はすでに使われています。別のアドレスを入力してください。",
                "‘{name}’: 이미 사용 중인 이메일 주소입니다. 다른 주소를 입력해 주세요."),
            .passwordTooShort: Entry(
                "Password must be at least {minimum} characters.",
                "パスワードは{minimum}文字以上で入力してください。",
                "비밀번호는 {minimum}자 이상이어야 합니다."),
            .upgradeTitle: Entry(
                "Save your data",
                "データを保存",
                "데이터 저장"),
            .upgradeIntroduction: Entry(
                "With an account you keep everything when you change or lose this device.",
                "アカウントを登録すると、機種変更や紛失のときもデータを引き継げます。",
                "계정을 등록하면 기기를 바꾸거나 잃어버려도 데이터를 유지할 수 있습니다."),
            .upgradeButton: Entry(
                "Save",
                "保存する",
                "저장하기"),
            .upgradeWith: Entry(
                "Continue with {provider}",
                "{provider}で続ける",
                "{provider} 계정으로 계속하기"),
            .resetTitle: Entry(
                "Reset Password",
                "パスワードの再設定",
                "비밀번호 재설정"),
            .resetIntroduction: Entry(
                "Please enter the email address for your account.",
                "アカウントのメールアドレスを入力してください。",
                "계정의 이메일 주소를 입력해 주세요."),
            .resetButton: Entry(
                "Send",
                "送信",
                "보내기"),
            .resetSentTitle: Entry(
                "Password Reset",
                "パスワードの再設定",
                "비밀번호 재설정"),
            .resetSent: Entry(
                "An email with reset instructions has been sent to '{name}'.",
                "「{name}」に再設定の手順をお送りしました。",
                "‘{name}’ 주소로 재설정 방법을 보냈습니다."),
            .resetFailed: Entry(
                "Password Reset Failed",
                "再設定できませんでした",
                "재설정하지 못했습니다"),
            .resetHaveCode: Entry(
                "I have a code already",
                "コードをすでにお持ちの方",
                "이미 코드가 있습니다"),
            .resetNewButton: Entry(
                "Set new password",
                "パスワードを設定する",
                "비밀번호 설정"),
            .resetDone: Entry(
                "Your password has been changed. Log in with the new one.",
                "パスワードを変更しました。新しいパスワードでログインしてください。",
                "비밀번호를 변경했습니다. 새 비밀번호로 로그인해 주세요."),
            .codeTitle: Entry(
                "Log in by code",
                "コードでログイン",
                "코드로 로그인"),
            .codeIntroduction: Entry(
                "We mail you a code to log in with.",
                "ログイン用のコードをメールでお送りします。",
                "로그인 코드를 메일로 보내 드립니다."),
            .codeSendButton: Entry(
                "Send code",
                "コードを送信",
                "코드 보내기"),
            .codeSent: Entry(
                "If there is an account for {name}, a code is on its way.",
                "{name}のアカウントがある場合、コードをお送りしました。",
                "{name} 계정이 있으면 코드를 보내 드립니다."),
            .codeButton: Entry(
                "Continue",
                "続ける",
                "계속"),
            .codeResend: Entry(
                "Send again",
                "もう一度送る",
                "다시 보내기"),
            .codeResendIn: Entry(
                "Send again in {seconds} s",
                "{seconds}秒後にもう一度送れます",
                "{seconds}초 후 다시 보낼 수 있습니다"),
            .codeOtherAddress: Entry(
                "Use another address",
                "別のアドレスを使う",
                "다른 주소 사용"),
            .verificationTitle: Entry(
                "Verify your address",
                "メールアドレスの確認",
                "이메일 주소 확인"),
            .verificationIntroduction: Entry(
                "Enter the code that we mailed to {name}.",
                "{name}にお送りしたコードを入力してください。",
                "{name} 주소로 보낸 코드를 입력해 주세요."),
        ]
    }
}

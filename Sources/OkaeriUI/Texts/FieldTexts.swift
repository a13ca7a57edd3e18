extension TextTable {
    static var fields: [TextKey: Entry] {
        [
            .username: Entry(
                "User name",
                "ユーザー名",
                "사용자 이름"),
            .identifier: Entry(
                "User name or mail address",
                "ユーザー名またはメールアドレス",
                "사용자 이름 또는 이메일 주소"),
            .email: Entry(
                "Mail address",
                "メールアドレス",
                "이메일 주소"),
            .phone: Entry(
                "Phone number",
                "電話番号",
                "전화번호"),
            .password: Entry(
                "Password",
                "パスワード",
                "비밀번호"),
            .newPassword: Entry(
                "New password",
                "新しいパスワード",
                "새 비밀번호"),
            .displayName: Entry(
                "Name",
                "お名前",
                "이름"),
            .additional: Entry(
                "More about you",
                "追加情報",
                "추가 정보"),
            .code: Entry(
                "Code from the mail",
                "メールに記載されたコード",
                "메일에 적힌 코드"),
            .token: Entry(
                "Code from the mail",
                "メールに記載されたコード",
                "메일에 적힌 코드"),
            .transferCodeField: Entry(
                "Transfer code",
                "引き継ぎコード",
                "기기 변경 코드"),
            .optional: Entry(
                "optional",
                "任意",
                "선택"),
            .showPassword: Entry(
                "Show password",
                "パスワードを表示",
                "비밀번호 표시"),
            .hidePassword: Entry(
                "Hide password",
                "パスワードを隠す",
                "비밀번호 숨기기"),
            .strengthVeryWeak: Entry(
                "Very weak",
                "とても弱い",
                "매우 약함"),
            .strengthWeak: Entry(
                "Weak",
                "弱い",
                "약함"),
            .strengthFair: Entry(
                "Fair",
                "普通",
                "보통"),
            .strengthStrong: Entry(
                "Strong",
                "強い",
                "강함"),
            .strength: Entry(
                "Strength: {strength}",
                "強度：{strength}",
                "강도: {strength}"),
            .dismiss: Entry(
                "Close",
                "閉じる",
                "닫기"),
            .cancel: Entry(
                "Cancel",
                "キャンセル",
                "취소"),
            .working: Entry(
                "One moment…",
                "処理中…",
                "처리 중…"),
            .retryIn: Entry(
                "Try again in {seconds} s",
                "{seconds}秒後にもう一度お試しください",
                "{seconds}초 후 다시 시도해 주세요"),
            .reload: Entry(
                "Try again",
                "再読み込み",
                "다시 시도"),
            .errorSummary: Entry(
                "Please look at the marked fields.",
                "入力内容を確認してください。",
                "입력한 내용을 확인해 주세요."),
            .faultRequired: Entry(
                "Please fill this in.",
                "入力してください。",
                "입력해 주세요."),
            .faultTooShort: Entry(
                "At least {minimum} characters.",
                "{minimum}文字以上で入力してください。",
                "{minimum}자 이상 입력해 주세요."),
            .faultTooLong: Entry(
                "At most {maximum} characters.",
                "{maximum}文字以内で入力してください。",
                "{maximum}자 이내로 입력해 주세요."),
            .faultMailAddress: Entry(
                "This is no mail address: hana@example.com.",
                "メールアドレスの形式が正しくありません（例：hana@example.com）。",
                "이메일 주소 형식이 올바르지 않습니다(예: hana@example.com)."),
            .faultUserName: Entry(
                "Letters, digits and visible signs, without @ and without + in front.",
                "文字・数字・記号を使えます。「@」と先頭の「+」は使えません。",
                "문자, 숫자, 기호를 사용할 수 있습니다. ‘@’와 맨 앞의 ‘+’는 사용할 수 없습니다."),
            .faultPhoneNumber: Entry(
                "In international form: +81 90 1234 5678.",
                "国際形式で入力してください（例：+81 90 1234 5678）。",
                "국제 형식으로 입력해 주세요(예: +82 10 1234 5678)."),
            .faultNumber: Entry(
                "This is no number.",
                "数字を入力してください。",
                "숫자를 입력해 주세요."),
            .faultDate: Entry(
                "A day as 2026-11-21.",
                "日付を入力してください（例：2026-11-21）。",
                "날짜를 입력해 주세요(예: 2026-11-21)."),
            .faultAddress: Entry(
                "An address that begins with https://.",
                "https:// で始まるアドレスを入力してください。",
                "https://로 시작하는 주소를 입력해 주세요."),
            .faultChoice: Entry(
                "Please choose one.",
                "選択してください。",
                "선택해 주세요."),
            .faultControlCharacter: Entry(
                "There are signs in it that cannot be seen.",
                "使えない文字が含まれています。",
                "사용할 수 없는 문자가 있습니다."),
            .faultNotAccepted: Entry(
                "Please agree to go on.",
                "続けるには同意が必要です。",
                "계속하려면 동의가 필요합니다."),
            .faultTooCommon: Entry(
                "Everybody tries this password first. Choose another.",
                "よく使われるパスワードです。別のものにしてください。",
                "흔히 쓰이는 비밀번호입니다. 다른 것을 입력해 주세요."),
            .faultBreached: Entry(
                "This password is known from leaks of other services. Choose another.",
                "ほかのサービスから流出したことのあるパスワードです。別のものにしてください。",
                "다른 서비스에서 유출된 적이 있는 비밀번호입니다. 다른 것을 입력해 주세요."),
            .faultContainsContext: Entry(
                "Do not use your own name in the password.",
                "パスワードに名前を使わないでください。",
                "비밀번호에 이름을 사용하지 마세요."),
            .faultMixedScripts: Entry(
                "Use letters of one alphabet only.",
                "異なる文字体系の似た文字を混ぜないでください。",
                "한 가지 문자만 사용해 주세요."),
            .faultTaken: Entry(
                "This is taken already.",
                "すでに使われています。",
                "이미 사용 중입니다."),
            .faultCode: Entry(
                "This is no such code. Please look once more.",
                "コードの形式が正しくありません。もう一度確認してください。",
                "코드 형식이 올바르지 않습니다. 다시 확인해 주세요."),
            .faultRefused: Entry(
                "This cannot be used.",
                "使用できません。",
                "사용할 수 없습니다."),
        ]
    }
}

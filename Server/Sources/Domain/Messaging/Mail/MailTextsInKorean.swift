extension MailTexts {
    /// The words of a kind of mail in Korean.
    static func korean(_ kind: MailKind) -> Words {
        switch kind {
        case .logInCode:
            Words(
                "{{application}} 로그인 코드",
                code: "{{application}}에 로그인하려면 앱에서 다음 코드를 입력해 주세요.\n\n{{code}}\n\n"
                    + "코드는 {{duration}} 동안 유효하며 한 번만 사용할 수 있습니다.",
                closing: "요청하신 적이 없다면 아무것도 하지 않으셔도 됩니다. 이 코드는 누구에게도 알려 주지 마세요.")
        case .emailVerification:
            Words(
                "{{application}} 메일 주소 확인",
                code: "메일 주소 {{email}}을(를) 확인하려면 앱에서 다음 코드를 입력해 주세요.\n\n{{code}}\n\n"
                    + "코드는 {{duration}} 동안 유효하며 한 번만 사용할 수 있습니다.",
                link: "메일 주소 {{email}}을(를) 확인하려면 다음 페이지를 열어 주세요.\n\n{{link}}\n\n"
                    + "{{duration}} 동안 유효하며 한 번만 사용할 수 있습니다.",
                closing: "요청하신 적이 없다면 아무것도 하지 않으셔도 됩니다.")
        case .passwordReset:
            Words(
                "{{application}} 비밀번호 재설정",
                code: "{{application}}의 새 비밀번호를 정하려면 다음 코드를 앱에 붙여 넣어 주세요.\n\n{{code}}\n\n"
                    + "코드는 {{duration}} 동안 유효하며 한 번만 사용할 수 있습니다.",
                link: "{{application}}의 새 비밀번호를 정하려면 다음 페이지를 열어 주세요.\n\n{{link}}\n\n"
                    + "{{duration}} 동안 유효하며 한 번만 사용할 수 있습니다.",
                closing: "요청하신 적이 없다면 아무것도 하지 않으셔도 됩니다. 비밀번호는 그대로 유지됩니다.")
        case .registration:
            Words(
                "{{application}} 회원 가입 안내",
                code: "메일 주소 {{email}}(으)로 {{application}}에 가입하려면 앱에 다음 코드를 붙여 넣고 비밀번호를 정해 주세요.\n\n"
                    + "{{code}}\n\n코드는 {{duration}} 동안 유효하며 한 번만 사용할 수 있습니다.",
                link: "메일 주소 {{email}}(으)로 {{application}}에 가입하려면 다음 페이지를 열고 비밀번호를 정해 주세요.\n\n"
                    + "{{link}}\n\n{{duration}} 동안 유효하며 한 번만 사용할 수 있습니다.",
                closing: "요청하신 적이 없다면 아무것도 하지 않으셔도 됩니다. 계정은 만들어지지 않습니다.")
        case .passwordChanged:
            Words(
                "{{application}} 비밀번호가 변경되었습니다",
                code: "{{application}} 계정의 비밀번호가 방금 변경되었습니다.",
                closing: "본인이 한 일이 아니라면 바로 앱에서 비밀번호를 재설정해 주세요.")
        case .emailChanged:
            Words(
                "{{application}} 메일 주소가 변경되었습니다",
                code: "{{application}} 계정의 메일 주소가 변경되었습니다. 다른 기기는 로그아웃되었습니다.",
                closing: "본인이 한 일이 아니라면 바로 앱 운영자에게 알려 주세요.")
        case .emailRecovery:
            Words(
                "{{application}} 메일 주소가 변경되었습니다",
                code: "{{application}} 계정의 메일 주소가 변경되었습니다. {{email}}(으)로는 더 이상 로그인할 수 없습니다.\n\n"
                    + "본인이 한 일이 아니라면 주소를 되돌리는 페이지에 다음 코드를 붙여 넣어 주세요.\n\n{{code}}\n\n"
                    + "코드는 {{duration}} 동안 유효하며 한 번만 사용할 수 있습니다.",
                link: "{{application}} 계정의 메일 주소가 변경되었습니다. {{email}}(으)로는 더 이상 로그인할 수 없습니다.\n\n"
                    + "본인이 한 일이 아니라면 다음 페이지를 열어 주세요. 주소를 되돌리고 모든 기기를 로그아웃한 뒤 "
                    + "새 비밀번호를 정할 수 있습니다.\n\n{{link}}\n\n{{duration}} 동안 유효하며 한 번만 사용할 수 있습니다.",
                closing: "본인이 변경했다면 아무것도 하지 않으셔도 됩니다. 이 메일을 다른 사람에게 전달하지 마세요.")
        case .identifiersChanged:
            Words(
                "{{application}} 로그인 정보가 변경되었습니다",
                code: "{{application}} 계정의 사용자 이름 등 로그인에 쓰는 정보가 변경되었습니다.",
                closing: "본인이 한 일이 아니라면 바로 앱에서 비밀번호를 변경해 주세요.")
        case .addressTaken:
            Words(
                "{{application}} 이미 계정이 있습니다",
                code: "{{application}}에서 메일 주소 {{email}}을(를) 다른 계정에 등록하려는 시도가 있었습니다. "
                    + "이 주소의 계정이 이미 있으니 그 계정으로 로그인해 주세요. 비밀번호를 잊으셨다면 로그인 화면에서 재설정할 수 있습니다.",
                link: "{{application}}에서 메일 주소 {{email}}을(를) 다른 계정에 등록하려는 시도가 있었습니다. "
                    + "이 주소의 계정이 이미 있습니다. 다음 페이지에서 로그인하거나 비밀번호를 재설정해 주세요.\n\n{{link}}",
                closing: "본인이 한 일이 아니라면 아무것도 하지 않으셔도 됩니다. 아무도 계정에 들어오지 않았습니다.")
        case .accountUpgraded:
            Words(
                "{{application}} 계정이 등록되었습니다",
                code: "{{application}} 계정이 메일 주소 {{email}}(으)로 등록되었습니다. "
                    + "이제 어느 기기에서나 사용할 수 있습니다.",
                closing: "본인이 한 일이 아니라면 아무것도 하지 않으셔도 됩니다. 이 주소는 확인되기 전에는 유효하지 않습니다.")
        case .identityLinked:
            Words(
                "{{application}} 로그인 방법이 추가되었습니다",
                code: "{{application}} 계정에 다른 로그인 방법이 연결되었습니다.",
                closing: "본인이 한 일이 아니라면 바로 앱에서 연결을 해제하고 비밀번호를 변경해 주세요.")
        case .identityUnlinked:
            Words(
                "{{application}} 로그인 방법이 삭제되었습니다",
                code: "{{application}} 계정에서 로그인 방법의 연결이 해제되었습니다.",
                closing: "본인이 한 일이 아니라면 바로 앱에서 비밀번호를 변경해 주세요.")
        case .deviceJoined:
            Words(
                "{{application}} 기기가 추가되었습니다",
                code: "{{application}} 계정에 기기 변경 코드로 새 기기가 추가되었습니다.",
                closing: "본인이 한 일이 아니라면 바로 이전 기기의 앱에서 취소하거나 비밀번호를 변경해 주세요.")
        case .secondFactorChanged:
            Words(
                "{{application}} 2단계 인증이 변경되었습니다",
                code: "{{application}} 계정의 인증 앱 또는 복구 코드가 변경되었습니다.",
                closing: "본인이 한 일이 아니라면 바로 앱에서 비밀번호를 변경하고 앱 운영자에게 알려 주세요. "
                    + "다른 사람의 인증 앱이 남아 있으면 로그인할 수 없습니다.")
        case .recoveryCodeUsed:
            Words(
                "{{application}} 복구 코드가 사용되었습니다",
                code: "{{application}} 계정의 복구 코드가 하나 사용되었습니다. 같은 코드는 더 이상 사용할 수 없습니다.",
                closing: "본인이 한 일이 아니라면 바로 앱에서 비밀번호를 변경하고 코드를 다시 발급받아 주세요.")
        case .accountDisabled:
            Words(
                "{{application}} 계정이 정지되었습니다",
                code: "{{application}} 계정이 정지되어 모든 기기에서 로그아웃되었습니다.",
                closing: "착오라고 생각되시면 앱 운영자에게 문의해 주세요.")
        case .accountEnabled:
            Words(
                "{{application}} 계정의 정지가 해제되었습니다",
                code: "{{application}} 계정의 정지가 해제되었습니다. 이전처럼 로그인하실 수 있습니다.",
                closing: "궁금한 점이 있으시면 앱 운영자에게 문의해 주세요.")
        case .deletionRequested:
            Words(
                "{{application}} 계정 삭제가 접수되었습니다",
                code: "{{application}} 계정 삭제가 접수되어 모든 기기에서 로그아웃되었습니다. "
                    + "데이터가 삭제되기 전까지는 앱에서 로그인하면 계정을 복구할 수 있습니다.",
                closing: "본인이 한 일이 아니라면 로그인하여 계정을 복구하고 비밀번호를 변경해 주세요.")
        case .accountRestored:
            Words(
                "{{application}} 계정 삭제가 취소되었습니다",
                code: "{{application}} 계정의 삭제가 취소되었습니다. 데이터는 삭제되지 않으며 이전처럼 로그인하실 수 있습니다.",
                closing: "본인이 한 일이 아니라면 로그인하여 비밀번호를 변경하거나 계정을 다시 삭제해 주세요.")
        case .accountErased:
            Words(
                "{{application}} 계정이 삭제되었습니다",
                code: "{{application}} 계정과 저장되어 있던 모든 데이터가 삭제되었습니다.",
                closing: "본인이 한 일이 아니라면 앱 운영자에게 문의해 주세요.")
        case .phoneVerification:
            Words(
                "{{application}}", code: "{{application}}: 전화번호 확인 코드는 {{code}}입니다({{duration}} 동안 유효).",
                closing: "누구에게도 알려 주지 마세요.")
        case .textedReset:
            Words(
                "{{application}}", code: "{{application}}: 비밀번호 재설정 코드는 {{code}}입니다({{duration}} 동안 유효).",
                link: "{{application}}: 비밀번호 재설정 {{link}} ({{duration}} 동안 유효).", closing: "누구에게도 알려 주지 마세요.")
        case .chosenPassword:
            Words(
                "{{application}} 새 비밀번호",
                code: "{{application}}의 새 비밀번호입니다.\n\n{{code}}\n\n로그인한 뒤 직접 정한 비밀번호로 바꿔 주세요.",
                closing: "요청하신 적이 없다면 바로 앱에서 비밀번호를 다시 설정해 주세요.")
        case .textedPassword:
            Words(
                "{{application}}", code: "{{application}}: 새 비밀번호는 {{code}}입니다.", closing: "누구에게도 알려 주지 마세요.")
        }
    }
}

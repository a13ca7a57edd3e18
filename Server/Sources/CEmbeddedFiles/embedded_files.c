// The compiler reads each file as it is. Swift would be given an array literal with a number for each byte, which takes it a minute
// (decision 0139). `make lint` compares the list with the folders.

#include "embedded_files.h"

#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

#define TEXT (const unsigned char[]) {

static const struct embedded_file files[] = {
    {"NativeAPI/Service/openapi.yaml", TEXT
#embed "../NativeAPI/Service/openapi.yaml" suffix(, 0)
    }},
    {"Dashboard/Assets/dashboard.css", TEXT
#embed "../Dashboard/Assets/dashboard.css" suffix(, 0)
    }},
    {"Dashboard/Assets/dashboard.js", TEXT
#embed "../Dashboard/Assets/dashboard.js" suffix(, 0)
    }},
    {"Dashboard/Templates/auth-layout.mustache", TEXT
#embed "../Dashboard/Templates/auth-layout.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/bulk.mustache", TEXT
#embed "../Dashboard/Templates/bulk.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/cells.mustache", TEXT
#embed "../Dashboard/Templates/cells.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/codes.mustache", TEXT
#embed "../Dashboard/Templates/codes.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/enter.mustache", TEXT
#embed "../Dashboard/Templates/enter.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/leave.mustache", TEXT
#embed "../Dashboard/Templates/leave.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/list.mustache", TEXT
#embed "../Dashboard/Templates/list.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/mail.mustache", TEXT
#embed "../Dashboard/Templates/mail.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/message.mustache", TEXT
#embed "../Dashboard/Templates/message.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/overview.mustache", TEXT
#embed "../Dashboard/Templates/overview.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/passkey.mustache", TEXT
#embed "../Dashboard/Templates/passkey.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/passkeys.mustache", TEXT
#embed "../Dashboard/Templates/passkeys.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/proof.mustache", TEXT
#embed "../Dashboard/Templates/proof.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/protocols.mustache", TEXT
#embed "../Dashboard/Templates/protocols.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/providers.mustache", TEXT
#embed "../Dashboard/Templates/providers.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/set-up.mustache", TEXT
#embed "../Dashboard/Templates/set-up.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/settings.mustache", TEXT
#embed "../Dashboard/Templates/settings.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/shell.mustache", TEXT
#embed "../Dashboard/Templates/shell.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/sign-on.mustache", TEXT
#embed "../Dashboard/Templates/sign-on.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/start.mustache", TEXT
#embed "../Dashboard/Templates/start.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/sure.mustache", TEXT
#embed "../Dashboard/Templates/sure.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/theme.mustache", TEXT
#embed "../Dashboard/Templates/theme.mustache" suffix(, 0)
    }},
    {"Dashboard/Templates/user.mustache", TEXT
#embed "../Dashboard/Templates/user.mustache" suffix(, 0)
    }},
    {"Dashboard/Texts/en.json", TEXT
#embed "../Dashboard/Texts/en.json" suffix(, 0)
    }},
    {"Dashboard/Texts/ja.json", TEXT
#embed "../Dashboard/Texts/ja.json" suffix(, 0)
    }},
    {"Dashboard/Texts/ko.json", TEXT
#embed "../Dashboard/Texts/ko.json" suffix(, 0)
    }},
    {"PageSupport/Assets/okaeri.css", TEXT
#embed "../PageSupport/Assets/okaeri.css" suffix(, 0)
    }},
    {"PageSupport/Assets/okaeri.js", TEXT
#embed "../PageSupport/Assets/okaeri.js" suffix(, 0)
    }},
    {"PageSupport/Assets/passkeys.js", TEXT
#embed "../PageSupport/Assets/passkeys.js" suffix(, 0)
    }},
    {"PageSupport/Assets/work.js", TEXT
#embed "../PageSupport/Assets/work.js" suffix(, 0)
    }},
    {"PageSupport/Templates/account-name.mustache", TEXT
#embed "../PageSupport/Templates/account-name.mustache" suffix(, 0)
    }},
    {"PageSupport/Templates/document.mustache", TEXT
#embed "../PageSupport/Templates/document.mustache" suffix(, 0)
    }},
    {"PageSupport/Templates/fault.mustache", TEXT
#embed "../PageSupport/Templates/fault.mustache" suffix(, 0)
    }},
    {"PageSupport/Templates/field.mustache", TEXT
#embed "../PageSupport/Templates/field.mustache" suffix(, 0)
    }},
    {"PageSupport/Templates/languages.mustache", TEXT
#embed "../PageSupport/Templates/languages.mustache" suffix(, 0)
    }},
    {"PageSupport/Templates/notice.mustache", TEXT
#embed "../PageSupport/Templates/notice.mustache" suffix(, 0)
    }},
    {"PageSupport/Templates/summary.mustache", TEXT
#embed "../PageSupport/Templates/summary.mustache" suffix(, 0)
    }},
    {"WebPages/Templates/account.mustache", TEXT
#embed "../WebPages/Templates/account.mustache" suffix(, 0)
    }},
    {"WebPages/Templates/card.mustache", TEXT
#embed "../WebPages/Templates/card.mustache" suffix(, 0)
    }},
    {"WebPages/Templates/conflict.mustache", TEXT
#embed "../WebPages/Templates/conflict.mustache" suffix(, 0)
    }},
    {"WebPages/Templates/consent.mustache", TEXT
#embed "../WebPages/Templates/consent.mustache" suffix(, 0)
    }},
    {"WebPages/Templates/enrolment.mustache", TEXT
#embed "../WebPages/Templates/enrolment.mustache" suffix(, 0)
    }},
    {"WebPages/Templates/first.mustache", TEXT
#embed "../WebPages/Templates/first.mustache" suffix(, 0)
    }},
    {"WebPages/Templates/form.mustache", TEXT
#embed "../WebPages/Templates/form.mustache" suffix(, 0)
    }},
    {"WebPages/Templates/log-in.mustache", TEXT
#embed "../WebPages/Templates/log-in.mustache" suffix(, 0)
    }},
    {"WebPages/Templates/message.mustache", TEXT
#embed "../WebPages/Templates/message.mustache" suffix(, 0)
    }},
    {"WebPages/Templates/passkey.mustache", TEXT
#embed "../WebPages/Templates/passkey.mustache" suffix(, 0)
    }},
    {"WebPages/Templates/password.mustache", TEXT
#embed "../WebPages/Templates/password.mustache" suffix(, 0)
    }},
    {"WebPages/Templates/providers.mustache", TEXT
#embed "../WebPages/Templates/providers.mustache" suffix(, 0)
    }},
    {"WebPages/Templates/recovery-codes.mustache", TEXT
#embed "../WebPages/Templates/recovery-codes.mustache" suffix(, 0)
    }},
    {"WebPages/Templates/second-factor.mustache", TEXT
#embed "../WebPages/Templates/second-factor.mustache" suffix(, 0)
    }},
    {"WebPages/Templates/sign-up.mustache", TEXT
#embed "../WebPages/Templates/sign-up.mustache" suffix(, 0)
    }},
    {"WebPages/Texts/en.json", TEXT
#embed "../WebPages/Texts/en.json" suffix(, 0)
    }},
    {"WebPages/Texts/ja.json", TEXT
#embed "../WebPages/Texts/ja.json" suffix(, 0)
    }},
    {"WebPages/Texts/ko.json", TEXT
#embed "../WebPages/Texts/ko.json" suffix(, 0)
    }},
    {0, 0},
};

const struct embedded_file *embedded_files(void) { return files; }

size_t embedded_file_size(const struct embedded_file *file) { return strlen((const char *)file->text); }

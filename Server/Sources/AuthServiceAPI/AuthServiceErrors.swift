import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import OkaeriWire

/// A reply of the protocol. The HTTP status decides whether the app's user sees the message at all: refusals are 200.
struct Envelope: Encodable {
    /// Read by one client of the family only: 204 for a sign-up that worked, 200 for one that did not.
    var status: Int
    var success: Bool
    /// For the app's user, in Korean; shown as it is.
    var message: String
    var data: Payload?

    struct Payload: Encodable {
        var jwt: String?
        var user: UserBody?
    }

    func response(_ status: HTTPResponse.Status = .ok) -> Response {
        do {
            return Self.response(try JSONBytes.buffer(of: self), status)
        } catch {
            // Only a number that is not finite cannot be written, and nothing that was read from JSON is one.
            return Response(status: .internalServerError)
        }
    }

    /// A reply that is written already.
    static func response(_ json: ByteBuffer, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json; charset=utf-8"],
            body: ResponseBody(byteBuffer: json))
    }
}

/// What the apps show, in Korean.
enum EnvelopeTexts {
    static let signedUp = "회원 가입 성공"
    static let idTaken = "이미 존재하는 ID입니다."
    static let valueMissing = "필요한 값이 없습니다."
    static let valueRefused = "사용할 수 없는 값입니다."
    static let signedIn = "로그인 성공"
    /// One text for an unknown id and a wrong password.
    static let signInRefused = "아이디 또는 비밀번호가 잘못되었습니다."
    static let disabled = "사용이 중지된 계정입니다."
    static let tooMany = "요청이 너무 많습니다. 잠시 후 다시 시도해 주세요."
    static let tokenMissing = "토큰 값이 없습니다."
    static let tokenRefused = "유효하지 않은 토큰입니다."
    static let signedOut = "로그아웃 성공"
    static let profile = "회원 정보 조회 성공"
    static let unreadable = "요청을 읽을 수 없습니다."
    static let pathUnknown = "잘못된 경로입니다."
    static let applicationUnknown = "등록되지 않은 앱입니다."
    static let serverFault = "서버 내부 오류"
}

/// What fails before or beside the two calls. Apps show none of it but what comes with 200.
struct AuthServiceErrors: ErrorRenderer {
    func response(to error: any Error, requestId: String) -> Response {
        let (status, message) =
            switch error {
            case let error as DomainError: Self.words(error)
            case let fault as RequestError: Self.words(fault)
            default: (500, EnvelopeTexts.serverFault)
            }
        var response = Envelope(status: status == 200 ? 400 : status, success: false, message: message)
            .response(.init(code: status))
        if let error = error as? DomainError, error.kind == .rateLimited, let span = error.retryAfter {
            response.headers[.retryAfter] = String(max(1, span.secondsRoundedUp))
        }
        return response
    }

    /// Each rule's response: the word that the protocol has for the code, or else the one for its kind.
    private static func words(_ error: DomainError) -> (Int, String) {
        if let word = Self.words[error.code] { return word }
        return switch error.kind {
        case .invalid:
            switch error.validationErrors {
            case nil: unreadable
            case let faults? where faults.contains { $0.rule == .required }: (200, EnvelopeTexts.valueMissing)
            case .some: (200, EnvelopeTexts.valueRefused)
            }
        case .unauthenticated, .refused, .forbidden, .notFound, .conflict, .gone: unreadable
        case .rateLimited: (200, EnvelopeTexts.tooMany)
        case .unavailable, .internal: (500, EnvelopeTexts.serverFault)
        }
    }

    private static let unreadable = (400, EnvelopeTexts.unreadable)
    private static let tokenRefused = (401, EnvelopeTexts.tokenRefused)
    private static let idTaken = (200, EnvelopeTexts.idTaken)

    private static let words: [DomainError.Code: (Int, String)] = [
        .applicationUnknown: (404, EnvelopeTexts.applicationUnknown),
        .sessionRequired: (401, EnvelopeTexts.tokenMissing), .sessionInvalid: tokenRefused,
        .sessionUnknown: tokenRefused, .userUnknown: tokenRefused, .userDisabled: (200, EnvelopeTexts.disabled),
        .secondFactorRequired: (200, EnvelopeTexts.disabled),
        .secondFactorEnrolmentRequired: (200, EnvelopeTexts.disabled),
        .userDeleted: (200, EnvelopeTexts.disabled), .credentialRefused: (200, EnvelopeTexts.signInRefused),
        .emailUnverified: (200, EnvelopeTexts.signInRefused), .identifiersTaken: idTaken, .mergeOffered: idTaken,
        .identityTaken: idTaken, .hookRefused: (200, EnvelopeTexts.valueRefused), .mailUnavailable: unreadable,
        .providerMisconfigured: unreadable,
    ]

    private static func words(_ fault: RequestError) -> (Int, String) {
        switch fault {
        case .pathUnknown: (404, EnvelopeTexts.pathUnknown)
        case .methodNotAllowed: (405, EnvelopeTexts.pathUnknown)
        case .bodyTooLarge: (413, EnvelopeTexts.unreadable)
        case .bodyTooSlow: (408, EnvelopeTexts.unreadable)
        case .headTooLarge: (431, EnvelopeTexts.unreadable)
        case .headMalformed, .headerInvalid, .mediaTypeUnsupported, .bodyMalformed, .membersInvalid:
            (400, EnvelopeTexts.unreadable)
        }
    }
}

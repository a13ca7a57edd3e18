import HTTPSupport
import Hummingbird
import enum OkaeriWire.JSONValue

/// The members of a JSON body. SDKs send back whatever they once received, so that unknown ones are never refused.
struct NCMBBody {
    let members: [String: JSONValue]

    /// A text that must be there and not be empty.
    ///
    /// - Throws: `E400003` when it is missing, null or empty; `E400002` for another type.
    func text(_ name: String, missing: NCMBFault) throws(NCMBFault) -> String {
        switch members[name] {
        case nil, .null?: throw missing
        case .string(let text)?:
            guard !text.isEmpty else { throw missing }
            return text
        default: throw .wrongType(name)
        }
    }
}

extension NCMBAPI {
    /// The request's body; an empty one counts as an object without members.
    func body(of request: Request, _ context: ServerContext) async throws -> NCMBBody {
        switch try await readJSON(JSONValue.self, of: request, context) {
        case nil: return NCMBBody(members: [:])
        case .object(let members)?: return NCMBBody(members: members)
        default: throw NCMBFault.notJSON
        }
    }
}

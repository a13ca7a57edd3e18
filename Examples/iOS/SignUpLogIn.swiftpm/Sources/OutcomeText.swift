import Okaeri

extension Outcome {
    /// What the person reads; nothing for a success.
    var text: String {
        switch self {
        case .success: ""
        case .refused(let message): message
        case .badPath: "There is no Okaeri server at this address, or it does not know this app."
        case .serverError: "The server is busy. Please try again later."
        case .noNetwork: "No connection. Please check the network."
        }
    }
}

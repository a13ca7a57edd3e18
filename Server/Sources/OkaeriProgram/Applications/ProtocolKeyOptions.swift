import ArgumentParser
import AuthServiceAPI
import Domain
import KiiAPI
import NCMBAPI
import OkaeriServer
import ParseAPI

/// Keys that apps in the stores carry.
struct ProtocolKeyOptions: ParsableArguments {
    @Option(help: ArgumentHelp("NCMB's application key.", valueName: "key")) var ncmbApplicationKey: String?
    @Option(help: ArgumentHelp("NCMB's client key.", valueName: "key")) var ncmbClientKey: String?
    @Option(help: ArgumentHelp("Parse's application id.", valueName: "id")) var parseApplicationId: String?
    @Option(help: ArgumentHelp("Parse's REST API key.", valueName: "key")) var parseRestKey: String?
    @Option(help: ArgumentHelp("Parse's JavaScript key.", valueName: "key")) var parseJavascriptKey: String?
    @Option(help: ArgumentHelp("Parse's client key.", valueName: "key")) var parseClientKey: String?
    @Option(help: ArgumentHelp("Parse's .NET key, which apps of .NET and Unity have.", valueName: "key"))
    var parseDotNetKey: String?
    @Option(help: ArgumentHelp("Parse's master key; the list of processes shows it.", valueName: "key"))
    var parseMasterKey: String?
    @Option(help: ArgumentHelp("A file with Parse's master key.", valueName: "file")) var parseMasterKeyFile: String?
    @Option(help: ArgumentHelp("Kii's AppID.", valueName: "id")) var kiiAppId: String?
    @Option(help: ArgumentHelp("Kii's AppKey.", valueName: "key")) var kiiAppKey: String?
    @Option(help: ArgumentHelp("Kii's ClientID.", valueName: "id")) var kiiClientId: String?
    @Option(help: ArgumentHelp("Kii's ClientSecret; the list of processes shows it.", valueName: "secret"))
    var kiiClientSecret: String?
    @Option(help: ArgumentHelp("A file with Kii's ClientSecret.", valueName: "file")) var kiiClientSecretFile: String?
    @Option(
        help: ArgumentHelp(
            "Where the app looks for /user/signin: / or /segment; one application of a server can have /.",
            valueName: "path"))
    var envelopeBasePath: String?

    private typealias Given = (protocolName: Session.ProtocolName, key: ProtocolKey, text: String?)

    private var texts: [Given] {
        [
            (.ncmb, .applicationKey, ncmbApplicationKey), (.ncmb, .clientKey, ncmbClientKey),
            (.parse, .applicationId, parseApplicationId), (.parse, .restKey, parseRestKey),
            (.parse, .javascriptKey, parseJavascriptKey), (.parse, .clientKey, parseClientKey),
            (.parse, .dotNetKey, parseDotNetKey), (.parse, .masterKey, parseMasterKey), (.kii, .appId, kiiAppId),
            (.kii, .appKey, kiiAppKey),
            (.kii, .clientId, kiiClientId), (.kii, .clientSecret, kiiClientSecret),
            (.envelope, .basePath, envelopeBasePath),
        ]
    }

    /// Keys that make an administrator, and stand in files.
    private var files: [Given] {
        [(.parse, .masterKey, parseMasterKeyFile), (.kii, .clientSecret, kiiClientSecretFile)]
    }

    /// The protocols of which a key was given.
    var protocolNames: [Session.ProtocolName] { (texts + files).filter { $0.text != nil }.map { $0.protocolName } }

    func validate() throws {
        let pairs = [
            ("--parse-master-key", parseMasterKey, parseMasterKeyFile),
            ("--kii-client-secret", kiiClientSecret, kiiClientSecretFile),
        ]
        for (option, text, file) in pairs where text != nil && file != nil {
            throw ValidationError("\(option) and \(option)-file say the same: give one of them.")
        }
    }

    /// The keys that were given, by protocol.
    ///
    /// - Throws: `CommandFault` when a file cannot be read.
    func given() throws(CommandFault) -> [Session.ProtocolName: [ProtocolKey: Secret]] {
        var given: [Session.ProtocolName: [ProtocolKey: Secret]] = [:]
        for case (let name, let key, let text?) in texts { given[name, default: [:]][key] = Secret(text) }
        for case (let name, let key, let path?) in files {
            given[name, default: [:]][key] = try SecretFile.secret(path)
        }
        return given
    }
}

/// A foreign protocol, named on the command line.
struct ProtocolArgument: ExpressibleByArgument {
    let profile: ProtocolProfile
    var name: Session.ProtocolName { profile.name }

    init?(argument: String) {
        let known = Composition.protocols.foreign.first { $0.name.rawValue == argument }
        guard let known else { return nil }
        profile = known
    }

    static let allValueStrings = Composition.protocols.foreign.map(\.name.rawValue)
    var defaultValueDescription: String { name.rawValue }
}

/// Several protocols: `ncmb,kii`.
struct ProtocolList: ExpressibleByArgument {
    let names: [Session.ProtocolName]

    init?(argument: String) {
        let read = argument.split(separator: ",").map { ProtocolArgument(argument: String($0)) }
        guard !read.isEmpty, !read.contains(where: { $0 == nil }) else { return nil }
        names = read.compactMap { $0?.name }
    }
}

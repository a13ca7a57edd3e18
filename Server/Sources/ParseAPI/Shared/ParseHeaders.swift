import HTTPSupport
import HTTPTypes

extension HTTPField.Name {
    static let parseApplicationId = HTTPField.Name(known: "X-Parse-Application-Id")
    static let parseRestKey = HTTPField.Name(known: "X-Parse-REST-API-Key")
    static let parseClientKey = HTTPField.Name(known: "X-Parse-Client-Key")
    static let parseJavascriptKey = HTTPField.Name(known: "X-Parse-Javascript-Key")
    static let parseWindowsKey = HTTPField.Name(known: "X-Parse-Windows-Key")
    static let parseMasterKey = HTTPField.Name(known: "X-Parse-Master-Key")
    static let parseSessionToken = HTTPField.Name(known: "X-Parse-Session-Token")
    static let parseInstallationId = HTTPField.Name(known: "X-Parse-Installation-Id")
    static let parseClientVersion = HTTPField.Name(known: "X-Parse-Client-Version")
    static let parseSystemVersion = HTTPField.Name(known: "X-Parse-OS-Version")
    static let parseAppVersion = HTTPField.Name(known: "X-Parse-App-Display-Version")
    static let parseCloudContext = HTTPField.Name(known: "X-Parse-Cloud-Context")
    static let requestedWith = HTTPField.Name(known: "X-Requested-With")
}

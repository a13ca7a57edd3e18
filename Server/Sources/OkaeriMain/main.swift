import Foundation
import OkaeriProgram

// The program for use. Nothing in it plays another server.
exit(await runProgram(providers: nil))

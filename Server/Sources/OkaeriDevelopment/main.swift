import Foundation
import OkaeriProgram

// The program for development and tests: the same commands, and a fake Apple beside `serve --dev`.
exit(await runProgram(providers: DevelopmentProviders()))

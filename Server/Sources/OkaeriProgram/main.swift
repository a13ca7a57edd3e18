import Foundation

exit(await OkaeriCommand.status(of: Array(CommandLine.arguments.dropFirst())))

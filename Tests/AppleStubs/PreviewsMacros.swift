// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in for Apple's PreviewsMacros: the macro behind `#Preview`, which leaves nothing behind. What stands in it is
// type-checked as the macro's argument.

public import SwiftSyntax
public import SwiftSyntaxMacros

public struct SwiftUIView: DeclarationMacro {
    public static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        []
    }
}

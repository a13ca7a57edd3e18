import ArgumentParser

/// In which form a command prints.
struct OutputOptions: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print one JSON document instead of text.")
    var isJSON = false
}

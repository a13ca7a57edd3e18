/// Bars under each other with their values, as an SVG that is readable on light and on dark pages.
struct BarPicture {
    /// A row of the picture.
    struct Bar {
        let label: String
        /// At least 0.
        let value: Double
        /// The value as people read it.
        let text: String
    }

    /// A line above bars that are drawn to one scale.
    struct Group {
        let heading: String
        let bars: [Bar]
        /// A value that gets a line across all bars, such as a target.
        var mark: Double?
    }

    let title: String
    let groups: [Group]

    private static let (width, labelWidth, barWidth, row) = (760.0, 330.0, 260.0, 26.0)

    /// The picture's text.
    var svg: String {
        var lines: [String] = []
        var y = 34.0
        lines.append(#"<text x="0" y="20" class="title">\#(Self.escaped(title))</text>"#)
        for group in groups where !group.bars.isEmpty {
            y += 20
            lines.append(#"<text x="0" y="\#(y)" class="heading">\#(Self.escaped(group.heading))</text>"#)
            let top = y + 8
            let scale = Self.barWidth / max(group.bars.map(\.value).max() ?? 0, group.mark ?? 0, .leastNonzeroMagnitude)
            for bar in group.bars {
                y += Self.row
                let length = (max(bar.value, 0) * scale).rounded()
                lines += [
                    #"<text x="0" y="\#(y)">\#(Self.escaped(bar.label))</text>"#,
                    #"<rect x="\#(Self.labelWidth)" y="\#(y - 14)" width="\#(length)" height="18" rx="3"/>"#,
                    #"<text x="\#(Self.labelWidth + length + 8)" y="\#(y)" class="value">\#(Self.escaped(bar.text))</text>"#,
                ]
            }
            if let mark = group.mark {
                let x = Self.labelWidth + (mark * scale).rounded()
                lines.append(#"<line x1="\#(x)" x2="\#(x)" y1="\#(top)" y2="\#(y + 8)"/>"#)
            }
            y += 14
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(y + 10)" role="img" aria-label="\(Self.escaped(title))">
            <style>
            text { font: 13px system-ui, sans-serif; fill: #1f2328 } .title { font-size: 16px; font-weight: 600 }
            .heading { fill: #59636e } .value { font-variant-numeric: tabular-nums } rect { fill: #2f7d6d }
            line { stroke: #c2410c; stroke-width: 2; stroke-dasharray: 4 3 }
            @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3 } .heading { fill: #9198a1 } rect { fill: #4fb3a0 } line { stroke: #fb923c }
            }
            </style>
            \(lines.joined(separator: "\n"))
            </svg>

            """
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
    }
}

"""Checks the rewriter on a small source whose faults are known, and the choice of suites."""
import random

import rewriter
import runner

SOURCE = '''
struct Example {
    static let longest: Duration = .seconds(600)
    static let maximum = 100
    var isOver: Bool { end <= start }

    func check(_ user: User?, in transaction: any Transaction) throws -> Bool {
        // if commented < out { return true }
        guard let user, user.age >= limit || user.isKnown else { return false }
        let text = "a < b \\(user.name == "x") && c"
        if try transaction.knows(user), user.age < limit { throw .tooYoung }
        try transaction.evict(
            user, at: now)
        let end = user.start + Self.longest
        return user.isKnown && text != ""
    }

    func names(of user: User) -> [String] {
        if user.isKnown {
            return user.names
        }
        return user.oldNames
    }

    func first(
        of user: User
    ) -> Name? {
        return user.first
    }
}
'''
EXPECTED = {
    ("duration", "600", "600 * 2"),
    ("constant", "100", "100 + 1"),
    ("bound", "end <= start", "end < start"),
    ("negation", "end <= start", "!(end <= start)"),
    ("guard", "user.age >= limit || user.isKnown", "true"),
    ("bound", "user.age >= limit || user.isKnown", "user.age > limit || user.isKnown"),
    ("connective", "user.age >= limit || user.isKnown", "user.age >= limit && user.isKnown"),
    ("negation", "user.age >= limit || user.isKnown", "!(user.age >= limit || user.isKnown)"),
    ("value", "false", "true"),
    ("bound", "user.age < limit", "user.age <= limit"),
    ("negation", "user.age < limit", "!(user.age < limit)"),
    ("removal", "try transaction.evict(\n            user, at: now)", None),
    ("arithmetic", "user.start + Self.longest", "user.start - Self.longest"),
    ("connective", 'user.isKnown && text != ""', 'user.isKnown || text != ""'),
    ("equality", 'user.isKnown && text != ""', 'user.isKnown && text == ""'),
    ("negation", "user.isKnown", "!(user.isKnown)"),
    ("emptiness", "user.names", "[]"),
    ("emptiness", "user.oldNames", "[]"),
    ("nothing", "user.first", "nil"),
}


# A file, the times of the suites that reach it, and those that are chosen: the first ones, and the rest.
CHOICES = [
    (
        "Domain/Passwords/LogInFailures.swift",
        {"D.UserTests": 1.0, "D.LogInFailureTests": 9.0, "N.FailureTests": 2.0, "D.ACLTests": 0.5, "D.XTests": 3.0},
        (["N.FailureTests", "D.LogInFailureTests", "D.ACLTests", "D.UserTests"], ["D.XTests"]),
    ),
    ("Domain/ACL.swift", {"D.TextTests": 70.0}, (["D.TextTests"], [])),
    (
        "Domain/User.swift", {f"D.S{sign}": float(count) for count, sign in enumerate("abcdefgh", 14)},
        (["D.Sa", "D.Sb", "D.Sc", "D.Sd"], ["D.Se", "D.Sf", "D.Sg"]),
    ),
]


A_TESTS = """        .testTarget(
            name: "A", dependencies: [f(1), g("x", (2))]),"""
MANIFEST = f"""let package = Package(
    targets: [
{A_TESTS}
        .target(name: "T"),
        .testTarget(name: "B", dependencies: ["T"]),
    ]
)
"""


def run():
    """Returns the status of a program: 0 when the rewriter does what it should."""
    faults = rewriter.faults_of("Example.swift", SOURCE)
    found = {(fault.kind, fault.original, fault.faulty) for fault in faults}
    wrong = [f"not found: {fault}" for fault in EXPECTED - found] + [f"found: {fault}" for fault in found - EXPECTED]
    if len(rewriter.masked(SOURCE)) != len(SOURCE):
        wrong.append("masking changes the length")
    for seed in range(20):
        chosen = rewriter.chosen(faults, 8, random.Random(seed))
        if chosen != rewriter.chosen(rewriter.faults_of("Example.swift", SOURCE), 8, random.Random(seed)):
            wrong.append(f"seed {seed} chooses differently each time")
        if any(a.end > b.start for a, b in zip(chosen, chosen[1:])):
            wrong.append(f"seed {seed} chooses faults that overlap")
        text = rewriter.planted(SOURCE, list(enumerate(chosen, 1)))
        for number, fault in enumerate(chosen, 1):
            text = text.replace(fault.planted(number), fault.original)
        if text != SOURCE:
            wrong.append(f"seed {seed}: without its faults the text differs")
    for path, seconds, expected in CHOICES:
        if runner.choice(path, seconds) != expected:
            wrong.append(f"{path}: runs {runner.choice(path, seconds)}")
    if rewriter.with_tests_of(["B"], MANIFEST) != MANIFEST.replace(A_TESTS, ""):
        wrong.append("a manifest keeps other tests than those of its modules")
    for line in wrong:
        print(line)
    return 1 if wrong else 0

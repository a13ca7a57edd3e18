"""Faults that the simulator must find: puts them into a copy of the code, and looks for the seed that finds each.

planted_faults.py apply FOLDER; planted_faults.py run PROGRAM [FIRST SEED [NUMBER…]]. The variable OKAERI_PLANTED chooses one.
planted_faults.py check looks whether the code still has what each of them replaces."""
import os
import pathlib
import subprocess
import sys

SEEDS, OPERATIONS = 12, "6000"
DOMAIN, SQLITE = "Server/Sources/Domain/", "Server/Sources/StorageSQLite/"
NEWS = "Server/Sources/Storage/Connection/NodeNews.swift"
SENT_WORDS = """    /// Whether what was to be announced has to go over the transaction's own connection before the commit is answered: while it was
    /// committed the node ceased to be heard, so that its silence warns nobody.
    package func mustBeSent(isHeard: Bool) -> Bool """
# What goes wrong, the file, what stands there, what stands there instead.
FAULTS = [
    ("the log is written at a commit, and not synchronised", SQLITE + "WALBufferingVFS.swift",
     "flushed(file) { $0.pointee.pMethods.pointee.xSync($0, flags) }",
     "planted == 1 ? flushed(file) { _ in SQLITE_OK }\n"
     "                : flushed(file) { $0.pointee.pMethods.pointee.xSync($0, flags) }"),
    ("a write to the log that failed is not reported", SQLITE + "WALBufferingVFS.swift",
     "return real.pointee.pMethods.pointee.xWrite(real, bytes, Int32(count), start)",
     "let code = real.pointee.pMethods.pointee.xWrite(real, bytes, Int32(count), start)\n"
     "        return planted == 2 ? SQLITE_OK : code"),
    ("a commit that failed is answered as done", SQLITE + "GroupCommit.swift",
     "for job in group { job.fail() }", "for job in group { if planted == 3 { job.answer() } else { job.fail() } }"),
    ("the session cache does not forget", DOMAIN + "Modules.swift",
     "        sessions.forget(change)", "        if planted != 4 { sessions.forget(change) }"),
    ("a used proof is taken again", DOMAIN + "Sessions/AutomaticLogIn/LogInAutomatically.swift",
     "guard try transaction.markUsed(proof) else",
     "guard try transaction.markUsed(proof) || planted == 5 else"),
    ("used proofs are forgotten at their end, and the clock is set back", DOMAIN + "Sessions/PurgeExpired.swift",
     "endedBefore: now - Self.proofMemory", "endedBefore: now - (planted == 6 ? .zero : Self.proofMemory)"),
    ("a redeemed transfer code stays", DOMAIN + "Accounts/TransferCodes/RedeemTransferCode.swift",
     "        _ = try transaction.removeTransferCode(of: user.id, in: application.id)",
     "        if planted != 7 { _ = try transaction.removeTransferCode(of: user.id, in: application.id) }"),
    ("deleted users are erased without grace", DOMAIN + "Accounts/Deletion/EraseDeletedUsers.swift",
     "let limit = now - application.settings.deletionGrace",
     "let limit = planted == 8 ? now : now - application.settings.deletionGrace"),
    ("a device key's earlier sessions stay", DOMAIN + "Sessions/SessionIssuer.swift",
     "openedBefore: now - Self.parallelLogIns", "openedBefore: now - (planted == 9 ? .days(900) : Self.parallelLogIns)"),
    ("sessions outlive a request for deletion", DOMAIN + "Accounts/Changes/AccountPolicy.swift",
     "ends: [.sessions, .transferCodes, .mergeTickets, .tickets, .newAddresses], records: .deletionRequested",
     "ends: planted == 10 ? [.tickets] : [.sessions, .transferCodes, .mergeTickets, .tickets, .newAddresses],\n"
     "                records: .deletionRequested"),
    ("a command does not tell the server of its changes", SQLITE + "GroupCommit.swift",
     "                outsideChanges?.beginChange()\n                defer { outsideChanges?.finishChange() }\n",
     "                if planted != 11 { outsideChanges?.beginChange() }\n"
     "                defer { if planted != 11 { outsideChanges?.finishChange() } }\n"),
    ("a mailed code stays when it is used", DOMAIN + "Messaging/Codes/TryCode.swift",
     "                try transaction.removeCode(of: known.kind, user: known.user, in: application)",
     "                if planted != 12 {\n"
     "                    try transaction.removeCode(of: known.kind, user: known.user, in: application)\n                }"),
    ("the step of an authenticator app's code is not kept", DOMAIN + "SecondFactors/SecondFactorCheck.swift",
     "                factor.lastStep = step", "                if planted != 13 { factor.lastStep = step }"),
    ("an import leaves users out and says otherwise", DOMAIN + "Accounts/Imports/ImportUsers.swift",
     "if outcome.isNew { try candidate.store(in: home, at: now, transaction) }",
     "if outcome.isNew, planted != 14 || outcomes.count % 7 != 3 {\n"
     "                    try candidate.store(in: home, at: now, transaction)\n"
     "                }"),
    ("an assertion of a passkey counts again", DOMAIN + "Passkeys/VerifyPasskey.swift",
     "        guard try transaction.markUsed(challenge, in: application) else { return .challenge }",
     "        guard try transaction.markUsed(challenge, in: application) || planted == 15 else { return .challenge }"),
    ("a mail that the mail server did not take is dropped", DOMAIN + "Messaging/Mail/DeliverMail.swift",
     "        case .failed(let reason): return try await postpone(mail, reason)",
     "        case .failed(let reason):\n"
     "            if planted == 16 { return try await finish(mail, .delivered) }\n"
     "            return try await postpone(mail, reason)"),
    ("sessions outlive a password reset", DOMAIN + "Accounts/Changes/AccountPolicy.swift",
     "[.holder], fresh: [.code], ends: all.union([.passkeys]), records: .passwordReset,",
     "[.holder], fresh: [.code], ends: planted == 17 ? [.passkeys] : all.union([.passkeys]),\n"
     "                records: .passwordReset,"),
    ("sessions outlive an operator's end of all", DOMAIN + "Accounts/Changes/AccountPolicy.swift",
     "[.operator], ends: all.union([.emailRecoveries]), records: .sessionsEnded,",
     "[.operator], ends: planted == 18 ? [.tickets] : all.union([.emailRecoveries]), records: .sessionsEnded,"),
    ("a node does not forget what another one changed", NEWS,
     "case .changes(let changes): return isOwn ? [] : changes",
     "case .changes(let changes): return isOwn || planted == 19 ? [] : changes"),
    ("a node that was cut off believes its caches for good", NEWS,
     "package func isTrusted(at now: UInt64) -> Bool { now < end }",
     "package func isTrusted(at now: UInt64) -> Bool { now < end || planted == 20 && leaseEnd > 0 }"),
    ("a commit of a node that is not heard is announced all the same", NEWS,
     "package init(isHeard: Bool) { self = isHeard ? .announced : .carried }\n\n" + SENT_WORDS + "{ self == .announced && !isHeard }",
     "package init(isHeard: Bool) { self = isHeard || planted == 21 ? .announced : .carried }\n\n" + SENT_WORDS
     + "{ self == .announced && !isHeard && planted != 21 }"),
]


def check():
    gone = [f"{name} does not have once: {before}" for _, name, before, _ in FAULTS
            if pathlib.Path(name).read_text().count(before) != 1]
    print("\n".join(gone))
    return 1 if gone else 0


def apply(folder):
    for what, name, before, after in FAULTS:
        file = folder / name
        text = file.read_text()
        if after in text:
            continue
        if text.count(before) != 1:
            sys.exit(f"{name} does not have once: {before}")
        text = text.replace(before, after)
        if "import Domain" not in text and DOMAIN not in name:
            text = "import Domain\n" + text
        file.write_text(text)
    (folder / DOMAIN / "Planted.swift").write_text(
        "import Foundation\n\n/// Which fault is active.\n"
        'package let planted = Int(ProcessInfo.processInfo.environment["OKAERI_PLANTED"] ?? "") ?? 0\n')


def run(program, first, numbers):
    missed = 0
    print("| fault | seed | what is said |\n| --- | --- | --- |")
    for number, (what, name, *_) in enumerate(FAULTS, 1):
        if numbers and str(number) not in numbers:
            continue
        found = None
        for seed in range(first, first + SEEDS):
            done = subprocess.run(
                [program, "--seed", str(seed), "--operations", OPERATIONS, "--nodes", "3" if name == NEWS else "1"],
                capture_output=True, text=True,
                env={**os.environ, "OKAERI_PLANTED": str(number)})
            said = [line for line in done.stdout.splitlines() if line.startswith("VIOLATION")]
            if said:
                found = (seed, said[0].split(": ", 1)[1])
                break
            if done.returncode != 0:
                found = (seed, f"the simulator ended with {done.returncode}")
                break
        missed += found is None
        print(f"| {what} | {found[0] if found else '–'} | {found[1] if found else 'not found'} |", flush=True)
    return 1 if missed else 0


if sys.argv[1] == "apply":
    apply(pathlib.Path(sys.argv[2]))
elif sys.argv[1] == "check":
    sys.exit(check())
else:
    sys.exit(run(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1, sys.argv[4:]))

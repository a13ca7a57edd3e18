import Testing

@testable import Domain

/// The numbers that each module sets for itself, beside the promised ones: what a request, a file or a round may hold, and
/// between which ends a setting may stand.
@Suite("The limits that modules set")
struct ModuleLimitTests {
    private static let spans: [(String, Duration, seconds: Int)] = [
        ("a ticket for the second factor", SecondFactorTicket.lifetime, 300),
        ("the set-up of an authenticator app", TOTPEnrolment.lifetime, 600),
        ("a server that has just begun, before it repeats what others began", DeliverEvents.settlingTime, 10),
        ("an event that waits for another user's", EventDelivery.holdingTime, 5),
        ("the longest pause of a receiver of events", EventEndpoint.longestRest, 3600),
        ("a secret that was replaced, unless said", SecretOverlap.standard.duration, 86_400),
        ("the longest that an admin waits for a search", SearchScheduler.longestTimeOfAdmin, 10),
        ("the longest that a page of an export of users takes", ExportUsers.Pages.longestTime, 10),
        ("a session of the pages without use", ProtocolProfile.pages.sessions?.idleLifetime ?? .zero, 86_400),
        ("a session of the pages", ProtocolProfile.pages.sessions?.lifetime ?? .zero, 30 * 86_400),
    ]

    @Test("of time hold", arguments: spans.indices)
    func time(index: Int) {
        let (name, span, seconds) = Self.spans[index]
        #expect(span == .seconds(seconds), "\(name)")
    }

    private static let counts: [(String, Int, Int)] = [
        ("characters that a new application asks of a password alone", PasswordRules.onlyFactorMinimum, 15),
        ("users that an export has in memory", ExportApplication.pageUsers, 100),
        ("users of a page of an admin's export", ExportUsers.Pages.size, 100),
        ("sessions of an exported user", ExportedSession.maximumPerUser, 100),
        ("bytes of the fields of an exported user's sessions", ExportedSession.maximumFieldsBytes, 262_144),
        ("columns of a file", CSVFile.maximumColumns, 1000),
        ("bytes of an imported id", ImportUsers.maximumIdBytes, 128),
        ("roles and groups", AccessRules.maximumGrants, 1000),
        ("bytes of roles and groups", AccessRules.maximumBytes, 131_072),
        ("roles and groups of a user", AccessRules.maximumGrantsOfUser, 100),
        ("permissions of a role", Grant.maximumPermissions, 100),
        ("characters of a role's name", GrantName.maximumCharacters, 64),
        ("rules of claims", ClaimRule.maximumRules, 50),
        ("characters of a claim's name", ClaimRule.maximumNameCharacters, 128),
        ("members of a page", ListMembers.maximumPageSize, 500),
        ("device keys of a user", DeviceKey.maximumPerUser, 50),
        ("sessions and merges of a page", ListActivity.maximumPageSize, 500),
        ("apps whose attestations count", AttestationRules.maximumApps, 20),
        ("bits of the hardest work", AttestationRules.maximumWorkBits, 24),
        ("bytes of a solution", PresentedWork.maximumSolutionBytes, 32),
        ("endpoints that are served side by side", DeliverEvents.lanes, 32),
        ("endpoints of an application", EventEndpoint.maximumPerApplication, 20),
        ("characters of an endpoint's address", EventEndpoint.maximumURLCharacters, 1000),
        ("types of an endpoint", EventEndpoint.maximumTypes, 100),
        ("tests of endpoints at once", TestEventEndpoint.lanes, 64),
        ("deliveries of a page", ListEventDeliveries.maximumPageSize, 500),
        ("events of a page", ReadEvents.maximumPageSize, 500),
        ("events that one transaction sends again", ReplayEvents.batch, 200),
        ("old events that one transaction removes", RemoveOldEvents.batch, 1000),
        ("members of a role that one transaction forgets", ChangeAccessRules.forgottenAtOnce, 500),
        ("readers that wait for events", WaitingReaders.maximum, 200),
        ("streams of events", WaitingReaders.maximumStreams, 100),
        ("streams of an application", WaitingReaders.maximumStreamsPerApplication, 20),
        ("claims that a hook adds", AskHook.maximumClaims, 50),
        ("calls of hooks at once", AskHook.lanes, 1024),
        ("makers of authenticators", AttestationRoots.maximumEntries, 20),
        ("bytes of a maker's certificates", AttestationRoots.maximumBytes, 16_384),
        ("applications of a domain of passkeys that are listed", PasskeyDomain.maximumListed, 500),
        ("apps that share passkeys", PasskeyRules.maximumApps, 20),
        ("calls of the providers of one tenant", IdentityProviders.lanesOfTenants, 32),
        ("calls of the named providers", IdentityProviders.lanesOfNamed, 64),
        ("calls of admins", IdentityProviders.callsOfAdmins, 4),
        ("rows that are sealed again at once", ResealSecrets.pageRows, 200),
        ("recovery codes", RecoveryCode.count, 10),
        ("authenticator apps of a user", TOTPFactor.maximumPerUser, 5),
        ("characters of an authenticator app's name", TOTPFactor.maximumNameCharacters, 100),
        ("bytes that name a sealing key", SealingKey.identifierBytes, 8),
        ("rows that one transaction removes", PurgeExpired.partSize, 1000),
        ("days of users that are written at once", SessionActivity.manyDays, 4096),
    ]

    @Test("of number and length hold", arguments: counts.indices)
    func number(index: Int) {
        let (name, count, expected) = Self.counts[index]
        #expect(count == expected, "\(name)")
    }

    private static let ranges: [(String, ClosedRange<Int64>, ClosedRange<Int64>)] = [
        ("fields of a user", ProfileLimits.fieldsRange, 100...400),
        ("bytes of a user's fields", ProfileLimits.fieldsBytesRange, 32_768...262_144),
        ("characters of a user name of an old service", ProfileLimits.userNameRange, 255...500),
        ("days of an admin's key", AdminKey.lifeDays, 1...400),
        ("days of a setting", ApplicationSettings.spanDays, 1...3650),
        ("days of events", EventSettings.retentionDays, 1...90),
        ("hours of a secret that was replaced", SecretOverlap.hours, 0...168),
        ("milliseconds of a hook's response", Hook.timeouts, 50...5000),
    ]

    @Test("of settings have both ends", arguments: ranges.indices)
    func range(index: Int) {
        let (name, range, expected) = Self.ranges[index]
        #expect(range == expected, "\(name)")
    }

    @Test("of attestations have both ends: budgets from one to a million, work from 10 to 20 bits")
    func attestations() {
        #expect(AttestationRules.budgets == 1...1_000_000 && AttestationRules.workBits == 10...20)
    }

    @Test(
        "of a device proof end a minute after the second that it names", arguments: [0, 1, 1_795_252_542] as [Int64])
    func proof(second: Int64) {
        let issuedAt = Timestamp(milliseconds: second * 1000)
        #expect(UsedProof.end(ofIssuedAt: issuedAt) == issuedAt + .seconds(61))
    }

    @Test("of how often something happens hold, from apps of today and from old ones")
    func rates() {
        #expect(RightPasswordLimits.ofUser == AddressLimit(.hourly(600), ofOldApps: .hourly(6000)))
        #expect(EnqueueMessage.ordersForClient == RateLimit(maximum: 30, window: .seconds(3600)))
        #expect(TryCode.triesForClient == RateLimit(maximum: 60, window: .seconds(3600)))
    }

    @Test("of a hook's response is half a second, unless said, and that of a secret that was replaced a day")
    func standards() {
        #expect(Hook.standardTimeout == 500 && SecretOverlap.standardHours == 24)
    }

    @Test(
        "of an overlap are taken at both ends and no further",
        arguments: [-1, 0, 1, 24, 167, 168, 169, .max, .min] as [Int64])
    func overlap(hours: Int64) throws {
        let refusal = DomainError.fieldsRefused([ValidationError(field: "overlapHours", rule: .outOfRange(0...168))])
        guard (0...168).contains(hours) else {
            #expect(throws: refusal) { try SecretOverlap(hours: hours) }
            return
        }
        let (given, standard) = (try SecretOverlap(hours: hours), try SecretOverlap(hours: nil))
        #expect(given.duration == .seconds(3600 * hours) && standard.duration == .seconds(86_400))
    }

    @Test("of one response are what a search may read, however it is put together", arguments: [1, 2, 7, 64])
    func response(parts: Int) throws {
        var size = ResponseSize()
        for _ in 0..<parts { try size.add(8_388_608 / parts) }
        let left = 8_388_608 % parts
        let hasMore = size.hasRoom(for: left + 1)
        // What had no room has taken none.
        let hasLeft = size.hasRoom(for: left)
        let hasOne = size.hasRoom(for: 1)
        #expect(!hasMore && hasLeft && !hasOne)
        #expect(throws: DomainError.searchTooLarge) { try size.add(1) }
        try size.add(0)
    }
}

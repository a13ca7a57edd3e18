import Domain
import Storage
import StorageSQLite
import TestWorld

/// Servers that come and go, and what they hear of each other.
extension Simulation {
    func newNode() throws -> SimulatedNode {
        nodeCount += 1
        let executor = executor
        let name = "node\(nodeCount)"
        let listener = network.map { NodeListener(name, on: $0) }
        let store: SQLiteStore
        do {
            store = try SQLiteStore(simulated: Self.database, as: listener.map { .node($0) } ?? .server) {
                executor.add($0)
            }
        } catch {
            listener?.die()
            throw error
        }
        var shared: (engine: NodeEngine, listener: NodeListener)?
        if let listener, let network { shared = (NodeEngine(store, name: name, listener, on: network), listener) }
        if options.isVerbose { store.observeFaults { print("  \(name): \($0)") } }
        let world = try TestWorld(
            shared?.engine ?? store, clock: clock, sessionCacheCapacity: 500,
            seed: options.seed &+ UInt64(nodeCount) &* 0x1_0000, mail: .carrier(mailServer))
        return SimulatedNode(world, store, shared)
    }

    /// Another process that does one thing beside the servers.
    func newCommand(beside server: SimulatedNode) throws -> (SQLiteStore, TestWorld) {
        let executor = executor
        let store = try SQLiteStore(
            simulated: Self.database,
            as: network == nil ? .command(beside: server.store) : .node(NodeEngine.NeverValid())
        ) { executor.add($0) }
        let engine = network.map { NodeEngine(store, name: "command\(commandCount)", nil, on: $0) }
        let world = try TestWorld(
            engine ?? store, clock: clock, sessionCacheCapacity: 50, seed: generator.next(),
            mail: .carrier(mailServer))
        return (store, world)
    }

    /// A server that takes requests. One that was replaced does not.
    func openNode() -> SimulatedNode? {
        guard network != nil else { return nodes.first }
        let open = nodes.filter { !$0.isLeaving }
        return open.isEmpty ? nil : generator.pick(open)
    }

    /// How many calls failed of themselves.
    var faultCount: Int { disk.faultCount + (network?.faultCount ?? 0) }

    /// How much time goes by where news is on its way: mostly less than news takes.
    func spanOfNodes() -> Duration {
        if generator.isOne(in: 60) { return .milliseconds(generator.number(below: 20_000)) }
        return .milliseconds(generator.number(below: generator.isOne(in: 4) ? 700 : 30))
    }

    /// Nodes are cut off, stand still, die without a word, and are replaced in good order.
    func troubleNodes() {
        guard let network, !disk.isOff else { return }
        for node in nodes where node.isLeaving && node.requests == 0 {
            if let listener = node.shared?.listener, !listener.isClosed { listener.close {} }
            if node.shared?.listener.isClosed == true { end(node) }
        }
        if options.hasFaults {
            if generator.isOne(in: 100),
                let listener = network.listeners.isEmpty ? nil : generator.pick(network.listeners)
            {
                network.trouble(listener)
            }
            if generator.isOne(in: 300), let node = openNode() {
                remark("\(node.shared?.listener.name ?? "") is killed")
                end(node)
            }
        }
        if generator.isOne(in: 300) { openNode()?.isLeaving = true }
        guard nodes.count(where: { !$0.isLeaving }) < options.nodes else { return }
        let faults = disk.faultCount
        do {
            nodes.append(try newNode())
        } catch {
            if faults == disk.faultCount { violate("a node does not start: \(error)") }
        }
    }

    private func end(_ node: SimulatedNode) {
        node.die()
        nodes.removeAll { $0 === node }
        start { _ in await node.close() }
    }

    // MARK: What is known of revocations

    func pickEnded() -> OpenSession? {
        if network != nil, !justEnded.isEmpty, !generator.isOne(in: 3) { return generator.pick(justEnded) }
        return graveyard.isEmpty ? nil : generator.pick(graveyard)
    }

    /// An ended session was taken: another node may do so until it has heard, and no longer than all are promised.
    func refuseUnlessNews(_ session: OpenSession, at begin: UInt64?) {
        guard let begin else { return violate("an ended session works again") }
        let age = begin - min(begin, session.endedAt)
        longestNews = max(longestNews, age)
        if age > NodeNews.Limits().bound {
            violate("an ended session works \(age / NodeNetwork.millisecond) ms after its end was answered")
        }
    }

    var summaryOfNodes: String {
        guard let network else { return "" }
        return """
            , \(nodeCount) nodes, \(network.noticeCount) notices, \(network.faultCount) transactions without way or answer, an \
            ended session taken elsewhere for \(longestNews / NodeNetwork.millisecond) ms at the most
            """
    }
}

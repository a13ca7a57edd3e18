import Domain
import HTTPSupport
import OkaeriWire

extension FirstLaunchEvidence {
    init(_ body: AutomaticLogInBody) {
        self.init(
            attestation: body.attestation.map {
                PresentedAttestation(
                    format: $0.format, challenge: $0.challenge, keyId: $0.keyId, object: $0.object)
            },
            work: body.proofOfWork.map {
                PresentedWork(challenge: $0.challenge, bits: $0.bits, solution: $0.solution)
            })
    }
}

extension FirstLaunchDemandBody {
    init(_ demand: FirstLaunchDemand) {
        self.init(
            attestation: demand.attestation.map { Attestation(challenge: $0.challenge, formats: $0.formats) },
            proofOfWork: demand.work.map { Work(challenge: $0.challenge, bits: $0.bits) },
            expiresAt: demand.expiresAt.wire)
    }
}

extension AttestationFault {
    /// Names what is wrong, so that a developer need not guess.
    var field: FieldProblem {
        FieldProblem(field: "attestation.\(member)", code: rule, detail: "The rule of docs/attestation.md.")
    }
}

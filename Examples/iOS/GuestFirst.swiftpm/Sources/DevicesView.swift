import Okaeri
import SwiftUI

struct DevicesView: View {
    let okaeri: OkaeriClient
    @State private var keys: [RegisteredDeviceKey] = []
    @State private var needsPassword = false
    @State private var password = ""
    @State private var problem = ""

    var body: some View {
        VStack(spacing: 8) {
            Button("Show my phones") { Task { await load() } }
            ForEach(keys) { key in
                HStack(spacing: 8) {
                    Text(key.device.name ?? key.device.model ?? "A phone")
                    if key.isCurrent {
                        Text("this phone").font(.system(.footnote))
                    } else {
                        Button("Lost") { Task { await remove(key) } }
                    }
                }
            }
            if needsPassword {
                SecureField("Password", text: $password)
                Button("Confirm") { Task { await confirm() } }
            }
            Text(problem).multilineTextAlignment(.center)
        }
    }

    private func load() async {
        do {
            keys = try await okaeri.deviceKeys()
            problem = ""
        } catch {
            problem = error.localizedDescription
        }
    }

    private func remove(_ key: RegisteredDeviceKey) async {
        do {
            try await okaeri.removeDeviceKey(key.id)
            await load()
        } catch {
            // The log-in is older than ten minutes: the owner proves to be there, then taps once more.
            needsPassword = error == .reauthenticationRequired
            problem = error.localizedDescription
        }
    }

    private func confirm() async {
        do {
            try await okaeri.reauthenticate(password: password)
            needsPassword = false
            password = ""
            problem = ""
        } catch {
            problem = error.localizedDescription
        }
    }
}

# What several scripts share. Source it; it changes to the repository's root.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The folders of the packages, in the order in which they are built.
packages=(. Server)

# All packages are built into one folder: what they share, swift-crypto's C++ above all, is then compiled once.
build_folder=$PWD/.build

# swift_package VERB FOLDER ARGUMENTS…: `swift build`, `swift test` or `swift package` for the package in FOLDER. The plan of the last
# build may be another package's, and SwiftPM would take it for this one's: "Build complete" with nothing built. The index, which
# editors make for themselves, takes a third of a build's time.
swift_package() {
    swift "$1" --package-path "$2" --scratch-path "$build_folder" --disable-build-manifest-caching --disable-index-store "${@:3}"
}

# run_tests_of FOLDER ARGUMENTS…: runs the tests of the package in FOLDER as scripts/build left them. `swift test --skip-build`
# opens the build's database all the same, and of two runs that begin at a time one finds it locked. With `time_limit`, a run
# that takes longer is stopped, with status 124.
run_tests_of() {
    local name
    name=$(sed -n 's/^    name: "\(.*\)",$/\1/p' "$1/Package.swift")
    if [ "$(uname -s)" = Linux ]; then
        # Whence each error was thrown, nobody is shown, and to note it takes a twentieth of the time.
        NO_COLOR=1 SWT_SWIFT_ERROR_BACKTRACING_ENABLED=0 ${time_limit:+timeout --foreground "$time_limit"} \
            "$build_folder/debug/${name}PackageTests.xctest" --testing-library swift-testing "${@:2}"
    else
        ${time_limit:+timeout --foreground "$time_limit"} swift test --package-path "$1" --scratch-path "$build_folder" \
            --skip-build "${@:2}"
    fi
}

# The program of the development build.
development_program() { printf '%s/okaeri' "$(swift_package build Server --show-bin-path)"; }

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }

# Says why and ends with status 1.
fail() {
    warn "${0##*/}: $*"
    exit 1
}

# The name of a package's folder, for people and for log files.
package_name() {
    if [ "$1" = . ]; then echo sdk; else echo "${1,,}"; fi
}

# All files of the repository that are not ignored, those not committed yet included; "$@" are git's path patterns.
repository_files() {
    git ls-files --cached --others --exclude-standard -- "$@" | sort -u | while IFS= read -r file; do
        if [ -f "$file" ]; then printf '%s\n' "$file"; fi
    done
}

# The value of the first member of that name in a JSON file, a text or a number: json_value FILE NAME.
json_value() {
    local text pattern="\"$2\"[[:space:]]*:[[:space:]]*\"?([^\",}]*)"
    text=$(<"$1")
    [[ $text =~ $pattern ]] || return 0
    printf '%s' "${BASH_REMATCH[1]//\\\//\/}"
}

# Runs a long command: everything into a log file, progress on the terminal, the faults when it fails.
# long_command LOG WHAT COMMAND ARGUMENTS…
long_command() {
    local log=$1 what=$2 begin=$SECONDS
    shift 2
    mkdir -p "$(dirname "$log")"
    if "$@" </dev/null 2>&1 | tee "$log" | show_progress "$what"; then
        say "$what: done in $((SECONDS - begin)) s"
        return
    fi
    warn "$what: failed after $((SECONDS - begin)) s. What it says of it:"
    { grep -E '(error|fatal):|✘|failed|Fatal error' "$log" || tail -n 20 "$log"; } | awk '!seen[$0]++' | head -n 40 >&2
    warn "Everything it printed is in $log"
    return 1
}

# Sets `release_arguments`, with which the program for use and the benchmarks are built, and `essentials_arguments`, with which
# the program is linked besides. Swift's own libraries are inside: it then starts faster, serves a little more, and runs on
# machines that have no Swift. It exports no symbols, and of Foundation it has FoundationEssentials alone (decision 0202).
prepare_release() {
    local archive symbol
    release_arguments=(-c release --static-swift-stdlib)
    essentials_arguments=()
    [ "$(uname -s)" = Linux ] || return 0
    release_arguments+=(-Xswiftc -use-ld=lld -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections
        -Xcc -fdata-sections -Xlinker --icf=all -Xlinker --no-export-dynamic -Xlinker -z
        -Xlinker pack-relative-relocs -Xlinker --no-eh-frame-hdr -Xlinker -T -Xlinker "$PWD/packaging/no-unwind.ld"
        -Xswiftc -DOKAERI_ESSENTIALS)
    # What needs more of Foundation is then an undefined symbol, which the linker names with the file that uses it.
    for archive in Foundation FoundationInternationalization FoundationNetworking FoundationXML CoreFoundation _FoundationICU \
        _CFURLSessionInterface _CFXMLInterface; do
        essentials_arguments+=(-Xlinker "--remap-inputs=*/lib$archive.a=/dev/null")
    done
    # What libraries name and nobody here asks them for: the formatter of Hummingbird's forms; Mustache's null, its folders of
    # templates, and the lock of its content types, which a template names by {{% (`make lint` refuses it). Who did would stop
    # the program.
    for symbol in '$s10Foundation13DateFormatterCMn' '$s10Foundation6NSNullCMn' \
        '$s10Foundation6NSLockCMa' '$s10Foundation6NSLockCACycfc' \
        '$s20FoundationEssentials11FileManagerC0A0E10enumerator6atPathAcDE19DirectoryEnumeratorCSgSS_tF'; do
        essentials_arguments+=(-Xlinker "--defsym=$symbol=0")
    done
}

# Builds the program and sets `okaeri` to its path: build_program CONFIGURATION. The configuration "quick" is for a first
# look: each module is compiled as a whole and nothing is optimised or described for a debugger, which takes three quarters of the
# processor time of "debug". It has a folder of its own, as its flags differ.
build_program() {
    local arguments=(-c "$1") build_folder=$build_folder modules=
    case $1 in
        release)
            prepare_release
            arguments=("${release_arguments[@]}" "${essentials_arguments[@]}")
            ;;
        quick)
            build_folder+=/quick
            # SwiftPM finds most steps while it builds, and the last ones are the longest: a first build is better measured by its
            # modules (show_progress), of which the program has so many. One more or less makes no difference to a person.
            [ -d "$build_folder" ] || modules=63
            arguments=(-c release -Xswiftc -Onone -Xswiftc -gnone -Xcc -O0 -Xcc -g0)
            ;;
    esac
    long_command .build/logs/build-okaeri.log "Building okaeri" \
        swift_package build Server "${arguments[@]}" --product okaeri
    okaeri=$(swift_package build Server "${arguments[@]}" --show-bin-path)/okaeri
}

# expect_for_use PROGRAM: it has no fake providers, which sign any identity that they are asked for (decision 0068), and it
# starts and draws a page. The release leaves out parts of Foundation (decision 0202): who asks for one of them all the same
# stops this program alone, and no test.
expect_for_use() {
    local folder log server url=
    ! grep -q 13FakeProviders "$1" || fail "there are fake providers in $1"
    folder=$(mktemp -d) log=$(mktemp)
    "$1" serve --dev --listen 127.0.0.1:0 --data "$folder" >"$log" 2>&1 &
    server=$!
    until [ -n "$url" ] || ! kill -0 "$server" 2>/dev/null; do
        sleep 0.1
        url=$(sed -n 's/.*"url" *: *"\([^"]*\)".*/\1/p' "$folder/server.json" 2>/dev/null || true)
    done
    if [ -z "$url" ] || ! curl --silent --fail --max-time 20 --output /dev/null "${url//\\/}/"; then
        kill "$server" 2>/dev/null || true
        cat "$log" >&2
        fail "$1 does not start"
    fi
    kill "$server"
    wait "$server" || fail "$1 does not end as it should"
    rm -rf "$folder" "$log"
}

# Builds the benchmarks' programs, with the flags of the server's release build, and sets `benchmarks` to their folder:
# build_benchmarks ARGUMENTS…
build_benchmarks() {
    prepare_release
    long_command .build/logs/bench-benchmarks.log "Building benchmarks" \
        swift_package build Benchmarks "${release_arguments[@]}" "$@"
    benchmarks=$(swift_package build Benchmarks "${release_arguments[@]}" --show-bin-path)
}

# Sets `left` to what remains at the speed until now: time_left DONE ALL SECONDS. It says nothing until ten seconds and a
# twentieth of the steps are behind it: before that it would be a guess.
time_left() {
    local seconds
    left=
    if (($3 < 10 || $1 * 20 < $2 || $1 >= $2)); then return; fi
    seconds=$(($3 * ($2 - $1) / $1))
    if ((seconds < 60)); then left=", less than a minute left"; else left=", about $(((seconds + 30) / 60)) min left"; fi
}

# Draws the lines "[12/345] …" over each other on a terminal, with the time left; elsewhere tells every thirty seconds how far
# it is. With `modules`, the time left is by the modules that are compiled, and not by steps.
show_progress() {
    local what=$1 line last=$SECONDS begin=$SECONDS step=0 before=0 emitted=0 left= columns=80
    local steps='^\[([0-9]+)/([0-9]+)\]'
    if [ -t 1 ]; then columns=$(tput cols 2>/dev/null || echo 80); fi
    while IFS= read -r line; do
        [[ $line =~ $steps ]] || continue
        step=${BASH_REMATCH[1]}
        # Another part of the work begins to count its steps anew; modules are counted on.
        if [ -z "${modules:-}" ] && ((step < before)); then begin=$SECONDS; fi
        before=$step
        if [[ $line == *"Emitting module "* ]]; then emitted=$((emitted + 1)); fi
        if [ -n "${modules:-}" ]; then
            time_left "$emitted" "$modules" $((SECONDS - begin))
        else
            time_left "$step" "${BASH_REMATCH[2]}" $((SECONDS - begin))
        fi
        if [ -t 1 ]; then
            line="$what$left: $line"
            printf '\r\033[K%s' "${line:0:columns-1}"
        elif ((SECONDS - last >= 30)); then
            say "$what$left: $line"
            last=$SECONDS
        fi
    done
    if [ -t 1 ]; then printf '\r\033[K'; fi
}

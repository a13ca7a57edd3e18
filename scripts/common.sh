# What several scripts share. Source it; it changes to the repository's root.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The folders of the packages, in the order in which they are built.
packages=(. Server)

# All packages are built into one folder: what they share, swift-crypto's C++ above all, is then compiled once.
build_folder=$PWD/.build

# swift_package VERB FOLDER ARGUMENTS…: `swift build` or `swift test` for the package in FOLDER. The plan of the last build
# may be another package's, and SwiftPM would take it for this one's: "Build complete" with nothing built.
swift_package() { swift "$1" --package-path "$2" --scratch-path "$build_folder" --disable-build-manifest-caching "${@:3}"; }

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

# Builds the program and sets `okaeri` to its path: build_program CONFIGURATION. For release with Swift's own libraries
# inside: it then starts faster, serves a little more, and runs on machines that have no Swift.
build_program() {
    local arguments=(-c "$1")
    if [ "$1" = release ]; then arguments+=(--static-swift-stdlib); fi
    long_command .build/logs/build-okaeri.log "Building okaeri" \
        swift_package build Server "${arguments[@]}" --product okaeri
    okaeri=$(swift_package build Server "${arguments[@]}" --show-bin-path)/okaeri
}

# Builds the benchmarks' programs, with the flags of the server's release build, and sets `benchmarks` to their folder:
# build_benchmarks ARGUMENTS…
build_benchmarks() {
    local arguments=(-c release --static-swift-stdlib)
    long_command .build/logs/bench-benchmarks.log "Building benchmarks" \
        swift_package build Benchmarks "${arguments[@]}" "$@"
    benchmarks=$(swift_package build Benchmarks "${arguments[@]}" --show-bin-path)
}

# Draws the lines "[12/345] …" over each other on a terminal; elsewhere tells every thirty seconds how far it is.
show_progress() {
    local what=$1 line last=$SECONDS columns=80
    if [ -t 1 ]; then columns=$(tput cols 2>/dev/null || echo 80); fi
    while IFS= read -r line; do
        case $line in
            "["*/*"]"*) ;;
            *) continue ;;
        esac
        if [ -t 1 ]; then
            line="$what: $line"
            printf '\r\033[K%s' "${line:0:columns-1}"
        elif ((SECONDS - last >= 30)); then
            say "$what: $line"
            last=$SECONDS
        fi
    done
    if [ -t 1 ]; then printf '\r\033[K'; fi
}

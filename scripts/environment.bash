# Sourced by run, test and check: makes the virtual environment in .venv when it is missing or out
# of date. It decides which Python is used and when to install again; it runs nothing itself.
#
# ensure_environment LABEL EXTRAS: afterwards "$python" has the project installed in editable form
# with EXTRAS ("" or "[test]"). A stamp beside the environment holds a checksum of pyproject.toml
# and the Python version, so that the second call is quick.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
venv=$root/.venv
python=$venv/bin/python

say() { printf '%s: %s\n' "$label" "$*" >&2; }

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# Prints the first Python 3.11 or newer: $PYTHON, then the usual names on PATH.
find_python() {
    local name
    for name in ${PYTHON:+"$PYTHON"} python3 python3.13 python3.12 python3.11 python3.14 python; do
        if new_enough "$name"; then
            command -v "$name"
            return
        fi
    done
    say "no Python 3.11 or newer on PATH; install one, or name it: PYTHON=/path/to/python3.11 $0"
    exit 2
}

create_environment() {
    local base log
    base=$(find_python) || exit 2
    say "creating $venv with $base ($("$base" -V 2>&1))"
    rm -rf "$venv"
    log=$(mktemp)
    if ! "$base" -m venv "$venv" >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log" && rm -rf "$venv"
        say "$base can not make a virtual environment (on Debian: apt install python3-venv)"
        exit 2
    fi
    rm -f "$log"
}

install_project() {
    local extras=$1 log
    say "installing xce-sim$extras and what it needs into $venv"
    log=$(mktemp)
    if ! "$python" -m pip install -q --disable-pip-version-check -e "$root$extras" >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        say "the installation failed: pip's own words stand above"
        say "it needs the network once; to start afresh: rm -rf $venv"
        exit 2
    fi
    rm -f "$log"
}

ensure_environment() {
    label=$1
    local extras=$2 wanted stamp
    [ -x "$python" ] && new_enough "$python" || create_environment
    # The version is a folder of the environment, so asking costs no start of Python.
    wanted="$(cksum <"$root/pyproject.toml") $(echo "$venv"/lib/python3*) $root"
    for stamp in "$venv/installed" "$venv/installed[test]"; do
        if [ -z "$extras" ] || [ "$stamp" = "$venv/installed$extras" ]; then
            [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && return
        fi
    done
    install_project "$extras"
    printf '%s\n' "$wanted" >"$venv/installed$extras"
}

# For tests with a second user of the machine, to be read by them: who it is, and a folder that both may enter. Skipped (77)
# without root, who alone can be both.
#
#     . other.sh; as_other COMMAND…
[ "$(id -u)" = 0 ] || { echo "skipped: only root can be two users" >&2; exit 77; }
command -v setpriv >/dev/null || { echo "skipped: no setpriv" >&2; exit 77; }
other=65534 # nobody
as_other() { setpriv --reuid "$other" --regid "$other" --clear-groups -- "$@"; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
as_other true || { echo "skipped: cannot become another user" >&2; exit 77; }
failures=0
check() { # WHAT CONDITION…
    local what=$1
    shift
    "$@" && return
    failures=$((failures + 1))
    echo "not ok: $what"
}
finish() {
    echo "$failures failures"
    [ "$failures" -eq 0 ]
    exit
}

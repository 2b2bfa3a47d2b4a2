# For scripts that measure (bench/repeatability, tests/measure/accuracy): which share of the time of all cores others had
# meanwhile, programs and the host alike.
#
#   . bench/taken.sh
#   before=$(taken_now)
#   …measure…
#   share=$(taken_since "$before")

# Seconds of all cores so far: in all, and in use or stolen; and those that the script's own children used.
taken_now() {
    awk -v hz="$(getconf CLK_TCK)" 'FILENAME == "/proc/stat" && $1 == "cpu" {
        for (i = 2; i <= 9; i++) all += $i
        busy = all - $5 - $6
    }
    FILENAME != "/proc/stat" { own = $16 + $17 }
    END { print all / hz, busy / hz, own / hz }' /proc/stat "/proc/$$/stat"
}

taken_since() {
    echo "$1 $(taken_now)" |
        awk '{ t = $4 > $1 ? (($5 - $2) - ($6 - $3)) / ($4 - $1) : 0; printf "%.3f\n", (t > 0 ? t : 0) }'
}

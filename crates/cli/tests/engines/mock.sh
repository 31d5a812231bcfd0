# A UGI engine that plays the first legal move, until it misbehaves in the way that its argument says. For the tests of ply.
way=$1
asked=0
case $way in
crash-at-start) echo 'I cannot find my opening book' >&2; exit 3 ;;
mute) while read -r line; do :; done; exit 0 ;;
leave) exit 0 ;;
once) [ -e "$2" ] && exit 4; : >"$2" ;;
noise) printf '\377\376 what?\n\n\tugiok not yet\n'; head -c 300000 /dev/zero | tr '\0' x; echo ;;
handles) [ -e /dev/fd/9 ] && { echo 'file 9 is open' >&2; exit 9; } ;;
complain) head -c 5000000 /dev/zero | tr '\0' '!' >&2; echo >&2 ;;
esac
while read -r word rest; do
    case $word in
    ugi) printf 'id name Mock\noption name LegalMoves type check default false\noption name Level type spin default 1\nugiok\n' ;;
    isready) echo readyok ;;
    quit) exit 0 ;;
    stop) [ "$way" = stubborn ] || [ "$way" = stall ] || echo "bestmove ${first}" ;;
    setoption) [ "$rest" = 'name Level value 7' ] && way=${2:-$way} ;;
    go)
        asked=$((asked + 1))
        first=${rest##*searchmoves }
        first=${first%% *}
        case $way in
        crash) [ $asked -ge 2 ] && { echo 'division by zero' >&2; exit 7; } ;;
        once) exit 6 ;;
        killed) kill -9 $$ ;;
        orphan) sleep 600 & exit 5 ;;
        stall | patient) continue ;;
        cheat) echo 'bestmove z9'; continue ;;
        nothing) echo 'bestmove'; continue ;;
        garbage) printf 'bestmove \377\000\033[2J\n'; continue ;;
        late) sleep 0.5 ;;
        flood) while :; do echo 'info string spam spam spam spam spam spam spam spam spam spam spam spam spam spam spam spam'; done ;;
        long-line) head -c 40000000 /dev/zero | tr '\0' x ;;
        memory) x=xxxxxxxx; while [ ${#x} -lt 400000000 ]; do x=$x$x; done ;;
        cpu) while :; do :; done ;;
        noise) printf 'info depth deep score cp \377 pv z9 a1\ninfo\n\nbestmov a1\ninfo score mate\n' ;;
        esac
        echo "info depth 1 score cp 40 nodes $asked pv $first z9 z9"
        echo "bestmove $first"
        ;;
    esac
done

#!/bin/bash
# The splitter's training on a rented GPU machine, from the root of a copy of the tree: start SECONDS | add | watch SECONDS | finish
set -e
JOB=${JOB:-/job}
POOL=$JOB/pool
RUN=$JOB/run
RECIPE=${RECIPE:-training/recipes/other-splitter.json}
export PYTHONUNBUFFERED=1

unpack_arrived() {
  export VORBIS_LIBRARY_FOLDER=$JOB/lib
  for pack in .data/packs-splitter/*.tar; do
    [ -e "$pack" ] || continue
    case $(basename "$pack") in
      notes-*) python3 -m training.prepare.unpack_notes "$pack" "$POOL" ;;
      *) python3 -m training.prepare.unpack "$pack" "$POOL" ;;
    esac
    rm "$pack"
  done
}

bring_back() {
  if [ -e "$RUN/average.pt" ]; then cp "$RUN/average.pt" "$RUN/curve.jsonl" "$OUT/"; fi
}

case $1 in
  start)
    mkdir -p "$JOB/code" "$JOB/lib" "$POOL"
    echo $(($(date +%s) + $2)) > "$JOB/end"
    cp .data/lib/lib*.so.* "$JOB/lib/"
    cp -r training weights "$JOB/code/"
    unpack_arrived
    cd "$JOB/code"
    setsid nohup python3 -m training.train --recipe "$RECIPE" --start-from weights/dialogue-music-effects/model.onnx --packs "$POOL" --out "$RUN" \
      --end-at-file "$JOB/end" --held-out "$POOL/held-out.npy" ${TRAIN_OPTIONS:-} > "$JOB/train.log" 2>&1 &
    setsid nohup python3 -m training.mix.held_out_other --packs "$POOL" --save "$POOL/held-out.npy" ${HELD_OUT_OPTIONS:-} > "$JOB/held-out.log" 2>&1 &
    timeout 60 tail -n +1 -f "$JOB/train.log" --pid=$! || true
    ;;
  add) unpack_arrived; tail -n 3 "$JOB/train.log"; bring_back ;;
  watch)
    timeout "$2" bash -c "until [ -e $RUN/done ]; do sleep 2; done" || true
    tail -n 12 "$JOB/train.log"
    cat "$JOB/held-out.log"
    bring_back
    ;;
  finish)
    timeout 560 bash -c "until [ -e $RUN/done ]; do sleep 1; done" || true
    bring_back
    cd "$JOB/code" && python3 -m training.evaluate_splitter --held-out "$POOL/held-out.npy" --weights "$RUN/average.pt" --out "$OUT/scores.json"
    ;;
esac

#!/bin/bash
# A network's training on a rented GPU machine, from the root of a copy of the tree:
#   rented_run.sh NETWORK keep | start SECONDS | add | watch SECONDS | finish
# Packs come as .data/packs-DATA/*.tar (DATA is the data list's name; the three networks voices-* share theirs), the Vorbis libraries as .data/lib, htdemucs for the splitter as .data/htdemucs; weights, curve and scores go to $OUT/NETWORK.
# `keep` only stores what came; `start` unpacks all of it at once, and stops if there are not as many files as EXPECTED says: a machine that was replaced
# has lost them. `watch` and `finish` end at once if nothing trains, so that calls sent in one list do not wait for it.
set -e
NETWORK=$1
JOB=${JOB:-/job}/$NETWORK
POOL=$JOB/pool
KEPT=$JOB/kept
RUN=$JOB/run
UNPACK=training.prepare.unpack
UNPACK_OPTIONS=
BACK=$OUT/$NETWORK
RECIPE=${RECIPE:-$NETWORK}
TRAIN_OPTIONS=${TRAIN_OPTIONS---init weights/$NETWORK/model.onnx}
DATA=$NETWORK
HELD_OUT=$POOL/held-out.npy
ROOMS=
case $NETWORK in
  dialogue-music-effects) MAKE_HELD_OUT=training.mix.held_out EVALUATE=training.evaluate ;;
  music-detection)
    MAKE_HELD_OUT=training.mix.held_out_detection EVALUATE="training.evaluate_detection --calibrate $BACK/calibrated.pt"
    DATA=dialogue-music-effects HELD_OUT=$POOL/held-out.npz ROOMS="--count 1500"
    ;;
  vocals-lead) MAKE_HELD_OUT=training.mix.held_out_lead EVALUATE=training.evaluate_lead ;;
  other-splitter) MAKE_HELD_OUT=training.mix.held_out_other EVALUATE=training.evaluate_splitter ;;
  voices-*)
    POOL=${JOB%/*}/voices-pool DATA=voices UNPACK=training.prepare.unpack_voices ROOMS="--count 1500"
    MAKE_HELD_OUT=training.mix.held_out_voices HELD_OUT=$POOL/held-out.npz EVALUATE=
    if [ "$NETWORK" = voices-separator ]; then EVALUATE=training.evaluate_voices; fi
    ;;
  speech-denoise)
    UNPACK=training.prepare.unpack_voices UNPACK_OPTIONS=--at-48-khz
    MAKE_HELD_OUT=training.mix.held_out_speech HELD_OUT=$POOL/held-out.npz EVALUATE=training.evaluate_speech
    ROOMS="--count 600 --rate-hz 48000"
    ;;
  music-analysis)
    UNPACK=training.prepare.unpack_small MAKE_HELD_OUT=training.mix.held_out_analysis HELD_OUT=$POOL/held-out.npz EVALUATE=training.evaluate_analysis
    ;;
  *) echo "unknown network $NETWORK" >&2; exit 2 ;;
esac
export PYTHONUNBUFFERED=1
mkdir -p "$JOB/code" "$JOB/lib" "$POOL" "$BACK"

keep_arrived() {
  mkdir -p "$KEPT"
  cp -n .data/lib/lib*.so.* "$JOB/lib/" 2> /dev/null || true
  for file in .data/packs-"$DATA"/*.tar .data/packs-"$DATA"/measured-rooms.npz .data/htdemucs/htdemucs-*.pt; do
    if [ -e "$file" ]; then mv "$file" "$KEPT/"; fi
  done
}

unpack_arrived() {
  keep_arrived
  export VORBIS_LIBRARY_FOLDER=$JOB/lib
  for part in "$KEPT"/htdemucs-*.pt; do
    [ -e "$part" ] || continue
    mkdir -p "$POOL/htdemucs"
    mv "$part" "$POOL/htdemucs/"
  done
  if [ -e "$KEPT/measured-rooms.npz" ]; then mv "$KEPT/measured-rooms.npz" "$POOL/"; fi
  find "$KEPT" -name 'notes-*.tar' -print0 | xargs -0 -r -P 8 -I {} python3 -m training.prepare.unpack_notes {} "$POOL"
  find "$KEPT" -name '*.tar' ! -name 'notes-*' -print0 | xargs -0 -r -P 8 -I {} python3 -m $UNPACK {} "$POOL" $UNPACK_OPTIONS
  rm -f "$KEPT"/*.tar
  if [ "$DATA" = voices ]; then return; fi
  for pack in .data/packs-voices/*.tar; do
    [ -e "$pack" ] || continue
    python3 -m training.prepare.unpack_voices "$pack" "$POOL/voices" --beside-music
    rm "$pack"
  done
}

wait_for_training() {
  timeout "$1" bash -c "until [ -e $RUN/done ] || ! kill -0 \$(cat $JOB/pid) 2> /dev/null; do sleep 1; done" || true
}

bring_back() {
  if [ -e "$RUN/average.pt" ]; then cp "$RUN/average.pt" "$RUN/curve.jsonl" "$BACK/"; fi
}

case $2 in
  keep) keep_arrived; ls "$KEPT" | wc -l ;;
  start)
    keep_arrived
    FOUND=$(ls "$KEPT" | wc -l)
    if [ "$FOUND" -lt "${EXPECTED:-0}" ]; then echo "$FOUND of $EXPECTED files arrived: send all of them again" >&2; exit 3; fi
    echo $(($(date +%s) + $3)) > "$JOB/end"
    cp -r training weights "$JOB/code/"
    unpack_arrived
    cd "$JOB/code"
    setsid nohup python3 -m training.train --recipe "training/recipes/$RECIPE.json" --packs "$POOL" --out "$RUN" \
      --end-at-file "$JOB/end" --held-out "$HELD_OUT" $TRAIN_OPTIONS > "$JOB/train.log" 2>&1 &
    echo $! > "$JOB/pid"
    if mkdir "$POOL.made" 2> /dev/null; then
      setsid nohup python3 -m $MAKE_HELD_OUT --packs "$POOL" --save "$HELD_OUT" > "$JOB/held-out.log" 2>&1 &
      if [ -n "$ROOMS" ]; then setsid nohup python3 -m training.mix.shoebox $ROOMS --out "$POOL/rooms.npy" > "$JOB/rooms.log" 2>&1 & fi
    fi
    timeout 12 tail -n +1 -f "$JOB/train.log" || true
    ;;
  add) unpack_arrived; tail -n 2 "$JOB/train.log" || true; bring_back ;;
  watch)
    wait_for_training "$3"
    tail -n 8 "$JOB/train.log"
    cat "$JOB"/held-out.log "$JOB"/rooms.log 2> /dev/null || true
    bring_back
    ;;
  finish)
    wait_for_training 560
    bring_back
    if [ -z "$EVALUATE" ]; then exit 0; fi
    cd "$JOB/code" && python3 -m $EVALUATE --held-out "$HELD_OUT" --weights "$RUN/average.pt" --out "$BACK/scores.json"
    ;;
esac

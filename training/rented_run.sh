#!/bin/bash
# A network's training on a rented GPU machine, from the root of a copy of the tree:
#   rented_run.sh NETWORK start SECONDS | add | watch SECONDS | finish
# Packs come as .data/packs-DATA/*.tar (DATA is the data list's name; the three networks voices-* share theirs), the Vorbis libraries as .data/lib, htdemucs for the splitter as .data/htdemucs; weights, curve and scores go to $OUT/NETWORK.
set -e
NETWORK=$1
JOB=${JOB:-/job}/$NETWORK
POOL=$JOB/pool
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
  *) echo "unknown network $NETWORK" >&2; exit 2 ;;
esac
export PYTHONUNBUFFERED=1
mkdir -p "$JOB/code" "$JOB/lib" "$POOL" "$BACK"

unpack_arrived() {
  cp -n .data/lib/lib*.so.* "$JOB/lib/" 2> /dev/null || true
  export VORBIS_LIBRARY_FOLDER=$JOB/lib
  for part in .data/htdemucs/htdemucs-*.pt; do
    [ -e "$part" ] || continue
    mkdir -p "$POOL/htdemucs"
    mv "$part" "$POOL/htdemucs/"
  done
  if [ -e .data/packs-"$DATA"/measured-rooms.npz ]; then mv .data/packs-"$DATA"/measured-rooms.npz "$POOL/"; fi
  for pack in .data/packs-"$DATA"/*.tar; do
    [ -e "$pack" ] || continue
    case $(basename "$pack") in
      notes-*) python3 -m training.prepare.unpack_notes "$pack" "$POOL" ;;
      *) python3 -m $UNPACK "$pack" "$POOL" $UNPACK_OPTIONS ;;
    esac
    rm "$pack"
  done
  if [ "$DATA" = voices ]; then return; fi
  for pack in .data/packs-voices/*.tar; do
    [ -e "$pack" ] || continue
    python3 -m training.prepare.unpack_voices "$pack" "$POOL/voices" --beside-music
    rm "$pack"
  done
}

bring_back() {
  if [ -e "$RUN/average.pt" ]; then cp "$RUN/average.pt" "$RUN/curve.jsonl" "$BACK/"; fi
}

case $2 in
  start)
    echo $(($(date +%s) + $3)) > "$JOB/end"
    cp -r training weights "$JOB/code/"
    unpack_arrived
    cd "$JOB/code"
    setsid nohup python3 -m training.train --recipe "training/recipes/$RECIPE.json" --packs "$POOL" --out "$RUN" \
      --end-at-file "$JOB/end" --held-out "$HELD_OUT" $TRAIN_OPTIONS > "$JOB/train.log" 2>&1 &
    if mkdir "$POOL.made" 2> /dev/null; then
      setsid nohup python3 -m $MAKE_HELD_OUT --packs "$POOL" --save "$HELD_OUT" > "$JOB/held-out.log" 2>&1 &
      if [ -n "$ROOMS" ]; then setsid nohup python3 -m training.mix.shoebox $ROOMS --out "$POOL/rooms.npy" > "$JOB/rooms.log" 2>&1 & fi
    fi
    timeout 12 tail -n +1 -f "$JOB/train.log" || true
    ;;
  add) unpack_arrived; tail -n 2 "$JOB/train.log" || true; bring_back ;;
  watch)
    timeout "$3" bash -c "until [ -e $RUN/done ]; do sleep 2; done" || true
    tail -n 8 "$JOB/train.log"
    cat "$JOB"/held-out.log "$JOB"/rooms.log 2> /dev/null || true
    bring_back
    ;;
  finish)
    timeout 560 bash -c "until [ -e $RUN/done ]; do sleep 1; done" || true
    bring_back
    if [ -z "$EVALUATE" ]; then exit 0; fi
    cd "$JOB/code" && python3 -m $EVALUATE --held-out "$HELD_OUT" --weights "$RUN/average.pt" --out "$BACK/scores.json"
    ;;
esac

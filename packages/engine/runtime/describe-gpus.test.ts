import { expect, it } from "vitest";
import { describeGpus } from "./describe-gpus.ts";
import { makeRoot } from "./support/make-root.ts";

const NVIDIA = {
  "dev/nvidia0": "",
  "dev/nvidiactl": "",
  "proc/driver/nvidia/version":
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\nGCC version: 13\n",
  "proc/driver/nvidia/gpus/0000:01:00.0/information": "Model: \t\t NVIDIA H200\nIRQ: 42\n",
};

it("[S32] a machine without a GPU device has none, whatever libraries are installed", () => {
  const files = { "dev/null": "", "dev/dri/card0": "", "usr/share/vulkan/icd.d/lvp_icd.json": "{}" };
  expect(describeGpus(makeRoot(files))).toBeUndefined();
});

it("[S32] another driver or card changes the description", () => {
  const described = describeGpus(makeRoot(NVIDIA));
  expect(described).toContain("NVIDIA H200, NVIDIA driver 580.159.04");
  const path = "proc/driver/nvidia/version" as const;
  const updated = { ...NVIDIA, [path]: NVIDIA[path].replace("580.159.04", "590.1") };
  expect(describeGpus(makeRoot(updated))).not.toBe(described);
  const card = { "dev/dri/renderD128": "", "sys/class/drm/renderD128/device/vendor": "0x1002\n" };
  expect(describeGpus(makeRoot({ ...card, "sys/class/drm/renderD128/device/device": "0x744c\n" }))).toContain(
    "0x1002:0x744c",
  );
});

import "./no-telemetry.ts";
import ort from "onnxruntime-node";

/** Load onnxruntime only through this file: without the line above it sends telemetry. */
export { default } from "onnxruntime-node";

export const RUNTIME_VERSION = ort.env.versions.node ?? ort.env.versions.common;

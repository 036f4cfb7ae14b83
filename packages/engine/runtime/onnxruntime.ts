import "./no-telemetry.ts";
import ort from "onnxruntime-node";

/** The only way to onnxruntime: whoever loads it without the line above lets it report. */
export { default } from "onnxruntime-node";

export const RUNTIME_VERSION = ort.env.versions.node ?? ort.env.versions.common;

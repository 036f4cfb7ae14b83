import "./no-telemetry.ts";

/** The only way to onnxruntime: whoever loads it without the line above lets it report. */
export { default } from "onnxruntime-node";

/**
 * onnxruntime sends telemetry about the machine, the process and its sessions unless this is set before it is loaded. It reads the
 * environment of the process, which threads can't change: the first session of a process is made by its main thread (graph-thread.ts).
 */
process.env.ORT_DISABLE_TELEMETRY = "1";

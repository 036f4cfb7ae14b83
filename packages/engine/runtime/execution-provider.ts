/** What a network may run on, by the names the setting has. */
export const EXECUTION_PROVIDERS = ["cpu", "cuda", "coreml", "directml", "webgpu"] as const;

export type ExecutionProvider = (typeof EXECUTION_PROVIDERS)[number];

const RUNTIME_NAMES: Record<ExecutionProvider, string> = {
  cpu: "cpu",
  cuda: "cuda",
  coreml: "coreml",
  directml: "dml",
  webgpu: "webgpu",
};

/** The name onnxruntime knows a provider by. */
export function toRuntimeName(provider: ExecutionProvider): string {
  return RUNTIME_NAMES[provider];
}

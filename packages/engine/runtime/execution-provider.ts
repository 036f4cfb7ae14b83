/** What a network may run on, as named in the setting. */
export const EXECUTION_PROVIDERS = ["cpu", "cuda", "coreml", "directml", "webgpu"] as const;

export type ExecutionProvider = (typeof EXECUTION_PROVIDERS)[number];

/** `auto`: for each network what is fastest on this machine. */
export const PROVIDER_SETTINGS = ["auto", ...EXECUTION_PROVIDERS] as const;

export type ProviderSetting = (typeof PROVIDER_SETTINGS)[number];

/** What `auto` tries, fastest first: the providers available on Linux. */
export const GPU_PROVIDERS = ["cuda", "webgpu"] as const satisfies ExecutionProvider[];

const RUNTIME_NAMES: Record<ExecutionProvider, string> = {
  cpu: "cpu",
  cuda: "cuda",
  coreml: "coreml",
  directml: "dml",
  webgpu: "webgpu",
};

/** onnxruntime's name for a provider. */
export function toRuntimeName(provider: ExecutionProvider): string {
  return RUNTIME_NAMES[provider];
}

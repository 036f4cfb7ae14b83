/** What is wanted of one input, whoever makes it. */
export type WantedTarget = {
  model: string;
  kind: "sound" | "text" | "detection";
  formats: readonly string[];
  variant?: string;
  residual?: boolean;
  language?: string;
  transcriptPath?: string;
};

/** The names of a target's outputs, as the service names them. */
export function listOutputNames({ model, variant, residual, kind }: WantedTarget): string[] {
  const name = variant === undefined ? model : `${model}_${variant}`;
  return residual && kind === "sound" ? [name, `${name}_residual`] : [name];
}

/** A tensor of a checkpoint; `f32`, `f16` … as safetensors spells it, in capitals. */
export type TensorFacts = { name: string; shape: readonly number[]; dtype: string };

/** The tensors of a checkpoint, each read on demand. */
export interface NamedTensors {
  list(): readonly TensorFacts[];
  /** In 32-bit floats, whatever they are stored as. Throws for an unknown name. */
  read(name: string): Float32Array;
}

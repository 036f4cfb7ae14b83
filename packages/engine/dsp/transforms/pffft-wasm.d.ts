/** The functions we use of PFFFT, compiled to WebAssembly. Pointers are byte offsets into its memory, which moves when it grows. */
declare module "@echogarden/pffft-wasm/simd" {
  type Pffft = {
    readonly HEAPF32: Float32Array<ArrayBuffer>;
    /** `transform`: 0 for real data. Returns 0 for an unsupported size. */
    _pffft_new_setup(size: number, transform: 0 | 1): number;
    /** `direction`: 0 forward, 1 backward. */
    _pffft_transform_ordered(
      setup: number,
      input: number,
      output: number,
      work: number,
      direction: 0 | 1,
    ): void;
    _pffft_aligned_malloc(bytes: number): number;
  };
  export default function makePffft(): Promise<Pffft>;
}

/** What we use of WebAssembly, which TypeScript declares for browsers only. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Memory {
    readonly buffer: ArrayBuffer;
    constructor(size: { initial: number });
  }
  class Instance {
    /** Of the one module there is. */
    readonly exports: { convolve: import("../resampling/polyphase-convolver.ts").Convolve };
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
  }
}

// Of what every JavaScript engine of today brings, the part that is used here: TypeScript knows it of browsers alone.
declare namespace WebAssembly {
  class Memory {
    constructor(size: { initial: number });
    /** Another one after each growth. */
    readonly buffer: ArrayBuffer;
    /** In pages of 65,536 bytes. */
    grow(pages: number): number;
  }
}

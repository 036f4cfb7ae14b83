/** The engine's process was killed from outside, most likely for its memory. That tells nothing of the work. */
export class EngineKilled extends Error {
  override readonly name = "EngineKilled";
}

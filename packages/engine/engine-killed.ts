/** The engine process was killed from outside, most likely by the OOM killer. That says nothing about the work. */
export class EngineKilled extends Error {
  override readonly name = "EngineKilled";
}

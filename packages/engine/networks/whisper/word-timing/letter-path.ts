/**
 * Costs of deviating from the text, as natural logarithms: a skipped letter, a skipped word, a pause, and audio of other words at the edges.
 * Tuned on half of TIMIT's speakers and checked on the other half; moving one by a quarter changes the error by less than 2 ms.
 */
const SKIPPED_LETTER = -4;
const SKIPPED_WORD = -8;
const PAUSE = -2.5;
const EDGE = -3;
/** In a long text each letter gets less attention, so this is relative: audio where no letter has three times its chance share is not the text. */
const EDGE_CHANCES = 3;
/** Weight of loudness relative to attention. */
const VOICE_WEIGHT = 0.5;
/** Silent letters come in ones and twos ("night", "could"), not in long runs. */
const MAX_SKIPPED_LETTERS = 3;
/**
 * A letter takes 62 ms (median, TIMIT). Less becomes unlikely, sooner in long words: the shortest have 13 ms a letter in words of three, 29 in words of six and
 * 38 from eight on, so the logarithm's standard deviation is about 2 / letters. Without this, a word that is not said takes the audio of its neighbour:
 * the decoder attends to some audio for any letter it is given.
 */
const STEPS_PER_LETTER = 6.2;
const RATE_DEVIATION = 2;

export type LetterPathInput = {
  /** Each spoken letter's share of the attention in each step: letters × steps; every step sums to one. */
  shares: Float32Array;
  /** The word of each letter; every word from 0 to `wordCount` may have some or none. */
  wordOfLetter: readonly number[];
  wordCount: number;
  /** How likely each step is a voice. */
  voice: Float64Array;
  /** Whether the audio may end before the text; the rest of the text then costs nothing. */
  isOpenEnded?: boolean;
  /** Whether nothing but the text is said, so that no speech at the edges belongs to other words. */
  isWhole?: boolean;
};

/** First step, last step + 1, and the mean share of its letters; undefined for a skipped word. */
export type WordSpan = { start: number; end: number; share: number };

/** Back pointers: the best predecessor of a cell. */
const STAY = 0;
/** From the joint before the word; `VIA_JOINT + n` skips the word's first n letters. */
const VIA_JOINT = 32;
const FROM_PAUSE = 1;
const FROM_JOINT = 2;
const NOWHERE = -1;
/** `FROM_LETTER + n`: a letter, or the joint after a word, from the letter n + 1 places before. */
const FROM_LETTER = 64;

/**
 * Viterbi search: every step belongs to one letter or to a pause, in the order of the text. Between words are joints, which take no time; at
 * each there may be a pause, and the next word may be skipped.
 */
export function findLetterPath(input: LetterPathInput): (WordSpan | undefined)[] {
  return new LetterPath(input).find();
}

class LetterPath {
  readonly #input: LetterPathInput;
  readonly #steps: number;
  readonly #letters: number;
  readonly #words: number;
  /** Letters of each word: first, and last + 1. */
  readonly #firstLetter: Int32Array;
  readonly #edge: number;
  /** The step at which the best path to each letter entered its word. */
  readonly #wordStart: Int32Array;
  readonly #letterFrom: Uint8Array;
  readonly #pauseFrom: Uint8Array;
  readonly #jointFrom: Uint8Array;
  /** For each step, the joint at which the text ended, or `NOWHERE`. */
  readonly #restFrom: Int32Array;

  constructor(input: LetterPathInput) {
    this.#input = input;
    this.#steps = input.voice.length;
    this.#letters = input.wordOfLetter.length;
    this.#words = input.wordCount;
    const edge = Math.min(EDGE, Math.log(EDGE_CHANCES / Math.max(1, this.#letters)));
    this.#edge = input.isWhole ? Number.NEGATIVE_INFINITY : edge;
    this.#firstLetter = new Int32Array(this.#words + 1).fill(this.#letters);
    for (let letter = this.#letters - 1; letter >= 0; letter--) {
      this.#firstLetter[input.wordOfLetter[letter]!] = letter;
    }
    for (let word = this.#words - 1; word >= 0; word--) {
      this.#firstLetter[word] = Math.min(this.#firstLetter[word]!, this.#firstLetter[word + 1]!);
    }
    this.#wordStart = new Int32Array(this.#letters);
    this.#letterFrom = new Uint8Array(this.#letters * this.#steps);
    this.#pauseFrom = new Uint8Array((this.#words + 1) * this.#steps);
    this.#jointFrom = new Uint8Array((this.#words + 1) * (this.#steps + 1));
    this.#restFrom = new Int32Array(this.#steps);
  }

  find(): (WordSpan | undefined)[] {
    const letterScores = new Float64Array(this.#letters).fill(Number.NEGATIVE_INFINITY);
    const pauseScores = new Float64Array(this.#words + 1).fill(Number.NEGATIVE_INFINITY);
    const jointScores = new Float64Array(this.#words + 1);
    let restScore = Number.NEGATIVE_INFINITY;
    this.#scoreJoints(0, jointScores, letterScores, pauseScores);
    for (let step = 0; step < this.#steps; step++) {
      restScore = this.#scoreRest(step, jointScores, restScore);
      this.#scorePauses(step, jointScores, pauseScores);
      this.#scoreLetters(step, jointScores, letterScores);
      this.#scoreJoints(step + 1, jointScores, letterScores, pauseScores);
    }
    const isLeft = this.#input.isOpenEnded === true && restScore > jointScores[this.#words]!;
    return isLeft ? this.#traceFromRest() : this.#trace(this.#words, this.#steps);
  }

  #scoreJoints(step: number, joints: Float64Array, letters: Float64Array, pauses: Float64Array): void {
    const from = this.#jointFrom.subarray(step * (this.#words + 1), (step + 1) * (this.#words + 1));
    for (let joint = 0; joint <= this.#words; joint++) {
      let best = step === 0 && joint === 0 ? 0 : pauses[joint]!;
      from[joint] = FROM_PAUSE;
      if (joint > 0) {
        const [first, end] = [this.#firstLetter[joint - 1]!, this.#firstLetter[joint]!];
        for (let skipped = 0; skipped <= MAX_SKIPPED_LETTERS && end - 1 - skipped >= first; skipped++) {
          const last = end - 1 - skipped;
          const rate = scoreRate(step - this.#wordStart[last]!, end - first);
          const score = letters[last]! + skipped * SKIPPED_LETTER + rate;
          if (score > best) {
            best = score;
            from[joint] = FROM_LETTER + skipped;
          }
        }
        const left = joints[joint - 1]! + (end > first ? SKIPPED_WORD : 0);
        if (left > best) {
          best = left;
          from[joint] = FROM_JOINT;
        }
      }
      joints[joint] = best;
    }
  }

  #scoreRest(step: number, joints: Float64Array, rest: number): number {
    let best = rest;
    this.#restFrom[step] = NOWHERE;
    for (let joint = 0; joint <= this.#words; joint++) {
      if (joints[joint]! <= best) continue;
      best = joints[joint]!;
      this.#restFrom[step] = joint;
    }
    return best + this.#edge;
  }

  #scorePauses(step: number, joints: Float64Array, pauses: Float64Array): void {
    const { voice } = this.#input;
    const pause = VOICE_WEIGHT * Math.log(1 - voice[step]!) + PAUSE;
    for (let joint = 0; joint <= this.#words; joint++) {
      const isEntered = joints[joint]! > pauses[joint]!;
      this.#pauseFrom[step * (this.#words + 1) + joint] = isEntered ? FROM_JOINT : STAY;
      const own = joint === 0 || joint === this.#words ? Math.max(pause, this.#edge) : pause;
      pauses[joint] = own + (isEntered ? joints[joint]! : pauses[joint]!);
    }
  }

  /** From last to first, so that earlier letters still hold the previous step's scores. */
  #scoreLetters(step: number, joints: Float64Array, letters: Float64Array): void {
    const { shares, wordOfLetter, voice } = this.#input;
    const voiceScore = VOICE_WEIGHT * Math.log(voice[step]!);
    for (let letter = this.#letters - 1; letter >= 0; letter--) {
      const word = wordOfLetter[letter]!;
      const place = letter - this.#firstLetter[word]!;
      let best = letters[letter]!;
      let from = STAY;
      for (let skipped = 0; skipped <= MAX_SKIPPED_LETTERS && skipped < place; skipped++) {
        const score = letters[letter - 1 - skipped]! + skipped * SKIPPED_LETTER;
        if (score > best) {
          best = score;
          from = FROM_LETTER + skipped;
        }
      }
      if (place <= MAX_SKIPPED_LETTERS) {
        const score = joints[word]! + place * SKIPPED_LETTER;
        if (score > best) {
          best = score;
          from = VIA_JOINT;
        }
      }
      if (from === VIA_JOINT) this.#wordStart[letter] = step;
      else if (from >= FROM_LETTER)
        this.#wordStart[letter] = this.#wordStart[letter - 1 - (from - FROM_LETTER)]!;
      this.#letterFrom[letter * this.#steps + step] = from;
      letters[letter] = best + Math.log(shares[letter * this.#steps + step]!) + voiceScore;
    }
  }

  #traceFromRest(): (WordSpan | undefined)[] {
    let step = this.#steps - 1;
    while (this.#restFrom[step] === NOWHERE) step--;
    return this.#trace(this.#restFrom[step]!, step);
  }

  /** Follows the back pointers from a joint before a step. */
  #trace(lastJoint: number, lastStep: number): (WordSpan | undefined)[] {
    const spans: (WordSpan | undefined)[] = new Array(this.#words).fill(undefined);
    let [joint, step] = [lastJoint, lastStep];
    while (joint > 0 || step > 0) {
      const from = this.#jointFrom[step * (this.#words + 1) + joint]!;
      if (from === FROM_JOINT) {
        joint--;
      } else if (from === FROM_PAUSE) {
        step = this.#pauseStart(joint, step);
      } else {
        joint--;
        const span = this.#traceWord(joint, step, from - FROM_LETTER);
        spans[joint] = span;
        step = span.start;
      }
    }
    return spans;
  }

  #pauseStart(joint: number, end: number): number {
    let step = end - 1;
    while (this.#pauseFrom[step * (this.#words + 1) + joint] === STAY) step--;
    return step;
  }

  #traceWord(word: number, end: number, skipped: number): WordSpan {
    const [firstLetter, letterEnd] = [this.#firstLetter[word]!, this.#firstLetter[word + 1]!];
    let letter = letterEnd - 1 - skipped;
    let foundLetters = 1;
    let share = 0;
    for (let step = end - 1; ; step--) {
      share += this.#input.shares[letter * this.#steps + step]!;
      const from = this.#letterFrom[letter * this.#steps + step]!;
      if (from === VIA_JOINT) {
        const foundShare = foundLetters / (letterEnd - firstLetter);
        return { start: step, end, share: (foundShare * share) / (end - step) };
      }
      if (from >= FROM_LETTER) {
        letter -= from - FROM_LETTER + 1;
        foundLetters++;
      }
    }
  }
}

/** What it costs that a word is spoken faster than usual. Slower ones cost nothing, since words are sung too. */
function scoreRate(steps: number, letters: number): number {
  const haste = Math.log((letters * STEPS_PER_LETTER) / steps);
  return haste > 0 ? -0.5 * ((letters * haste) / RATE_DEVIATION) ** 2 : 0;
}

/**
 * Natural logarithms of what it costs to leave the text, chosen on half of the speakers of TIMIT and checked on the other half;
 * the error changes by less than 2 ms when one of them is moved by a quarter. A letter that is not heard, a word that is not, a
 * pause, and at the edges sound that belongs to other words.
 */
const SKIPPED_LETTER = -4;
const SKIPPED_WORD = -8;
const PAUSE = -2.5;
const EDGE = -3;
/** Of a long text each letter is looked at less: beyond the text there is sound where no letter has thrice what chance gives it. */
const EDGE_CHANCES = 3;
/** Weight of the loudness against the attention. */
const VOICE_WEIGHT = 0.5;
/** A speaker leaves out one letter or two ("night", "could"), not a row of them. */
const MAX_SKIPPED_LETTERS = 3;

export type LetterPathInput = {
  /** How much each sounded letter is looked at in each step: letters × steps, each step's letters adding up to one. */
  shares: Float32Array;
  /** The word of each letter; every word from 0 to `wordCount` may have some or none. */
  wordOfLetter: readonly number[];
  wordCount: number;
  /** How likely each step is a voice. */
  voice: Float64Array;
  /** Whether the sound may end before the text does: what is left of the text then costs nothing. */
  isOpenEnded?: boolean;
  /** Whether the text is all that is said: no voice at the edges belongs to words beyond it. */
  isWhole?: boolean;
};

/** First step and the one behind the last, and the mean share its letters have there; one that is left out has none. */
export type WordSpan = { start: number; end: number; share: number };

/** Where a cell of the table is best entered from. */
const STAY = 0;
/** From the joint before the word; `VIA_JOINT + n` leaves out the word's first n letters. */
const VIA_JOINT = 32;
const FROM_PAUSE = 1;
const FROM_JOINT = 2;
const NOWHERE = -1;
/** `FROM_LETTER + n`: the joint behind a word, or a letter, from the letter n + 1 places before. */
const FROM_LETTER = 64;

/**
 * The best way through all letters, each step belonging to one letter or to a pause, in the order of the text. Words are joined
 * by joints, which take no time: at each there may be a pause, and from each the next word may be left out.
 */
export function findLetterPath(input: LetterPathInput): (WordSpan | undefined)[] {
  return new LetterPath(input).find();
}

class LetterPath {
  readonly #input: LetterPathInput;
  readonly #steps: number;
  readonly #letters: number;
  readonly #words: number;
  /** Letters of each word: the first, and the one behind the last. */
  readonly #firstLetter: Int32Array;
  readonly #edge: number;
  readonly #letterFrom: Uint8Array;
  readonly #pauseFrom: Uint8Array;
  readonly #jointFrom: Uint8Array;
  /** For each step the joint at which the text was left for good, or `NOWHERE`. */
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
          const score = letters[end - 1 - skipped]! + skipped * SKIPPED_LETTER;
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

  /** From the last letter to the first, so that the letters before still have the scores of the step before. */
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
      this.#letterFrom[letter * this.#steps + step] = from;
      letters[letter] = best + Math.log(shares[letter * this.#steps + step]!) + voiceScore;
    }
  }

  #traceFromRest(): (WordSpan | undefined)[] {
    let step = this.#steps - 1;
    while (this.#restFrom[step] === NOWHERE) step--;
    return this.#trace(this.#restFrom[step]!, step);
  }

  /** The words before a joint that the path is at before a step. */
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
    let heardLetters = 1;
    let share = 0;
    for (let step = end - 1; ; step--) {
      share += this.#input.shares[letter * this.#steps + step]!;
      const from = this.#letterFrom[letter * this.#steps + step]!;
      if (from === VIA_JOINT) {
        const heardShare = heardLetters / (letterEnd - firstLetter);
        return { start: step, end, share: (heardShare * share) / (end - step) };
      }
      if (from >= FROM_LETTER) {
        letter -= from - FROM_LETTER + 1;
        heardLetters++;
      }
    }
  }
}

/** Added to the logits of tokens that would begin or continue a keyword. */
const START_BOOST = 1;
const NEXT_BOOST = 3;

interface Branch extends Map<number, Branch> {}

/** Biases the decoder towards given words that it recognises but would spell as more common ones. */
export class KeywordBias {
  readonly #root: Branch = new Map();

  /** `keywords` are token sequences, with the leading space of a word within a text. */
  constructor(keywords: readonly (readonly number[])[]) {
    for (const tokens of keywords) {
      let branch = this.#root;
      for (const token of tokens) {
        const next: Branch = branch.get(token) ?? new Map();
        branch.set(token, next);
        branch = next;
      }
    }
  }

  /** Starts tracking the text of one window. */
  start(): KeywordTrack {
    return new KeywordTrack(this.#root);
  }
}

/** Tracks which keywords a text is in the middle of. */
export class KeywordTrack {
  readonly #root: Branch;
  #open: Branch[] = [];

  constructor(root: Branch) {
    this.#root = root;
  }

  /** What to add to each token's logit now. */
  get boosts(): Map<number, number> {
    const boosts = new Map<number, number>();
    for (const token of this.#root.keys()) boosts.set(token, START_BOOST);
    for (const branch of this.#open) for (const token of branch.keys()) boosts.set(token, NEXT_BOOST);
    return boosts;
  }

  push(token: number): void {
    this.#open = [this.#root, ...this.#open].flatMap((branch) => branch.get(token) ?? []);
  }
}

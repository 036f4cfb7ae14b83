/** Added to the logit of a token that would begin a keyword, and of one that would continue it. */
const START_BOOST = 1;
const NEXT_BOOST = 3;

interface Branch extends Map<number, Branch> {}

/** Makes the decoder more ready to write given words, which it hears well enough but would spell as more common ones. */
export class KeywordBias {
  readonly #root: Branch = new Map();

  /** `keywords` are tokens, with the space in front that a word within a text has. */
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

  /** Follows the text of one window. */
  start(): KeywordTrack {
    return new KeywordTrack(this.#root);
  }
}

/** Where in which keywords a text is. */
export class KeywordTrack {
  readonly #root: Branch;
  #open: Branch[] = [];

  constructor(root: Branch) {
    this.#root = root;
  }

  /** By token, what is to be added to its logit now. */
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

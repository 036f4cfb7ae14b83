import { describe, expect, it } from "vitest";
import { matchLetters, UNKNOWN_LETTER } from "./match-letters.ts";

/** Letters of words; "?" is unknown, capital letters are doubtful. */
function rowOf(text: string) {
  const letters = Array.from(text.replaceAll(" ", ""));
  const starts = Array.from(text).flatMap((letter, n, all) =>
    letter === " " ? [] : [n === 0 || all[n - 1] === " " ? 1 : 0],
  );
  return {
    letters: Int32Array.from(letters, (letter) =>
      letter === "?" ? UNKNOWN_LETTER : (letter.toLowerCase().codePointAt(0) ?? 0),
    ),
    starts: Uint8Array.from(starts),
    isDoubtful: Uint8Array.from(letters, (letter) => (/[A-Z]/.test(letter) ? 1 : 0)),
  };
}

/** The recognised letters in the order of the written ones, "." where there is none. */
function matched(written: string, recognised: string): string {
  const letters = recognised.replaceAll(" ", "");
  return [...matchLetters(rowOf(written), rowOf(recognised))].map((at) => letters[at] ?? ".").join("");
}

describe("matchLetters", () => {
  it("[Z2] pairs words that were recognised a little differently", () => {
    expect(matched("the salley gardens my love", "the valley garden my love")).toBe("thevalleygarden.mylove");
    expect(matched("j sais plus", "je sais plus")).toBe("jsaisplus");
  });

  it("[Z2] leaves out a verse that is not sung, and one that is not written, as a whole", () => {
    const [one, two, three] = ["down by the salley gardens", "she bid me take love easy", "but i was young"];
    const lengthOf = (text: string) => text.replaceAll(" ", "").length;
    const plain = (text: string) => text.replaceAll(" ", "");
    expect(matched(`${one} ${two} ${three}`, `${one} ${three}`)).toBe(
      plain(one) + ".".repeat(lengthOf(two)) + plain(three),
    );
    expect(matched(`${one} ${three}`, `${one} ${two} ${three}`)).toBe(plain(one) + plain(three));
  });

  it("[Z2] gives unrecognised singing as much text as is sung in its time", () => {
    // The refrain is written twice and sung twice, but the second one was not recognised.
    const refrain = "my love and i did meet";
    const unknown = "?".repeat(17);
    expect(matched(`${refrain} ${refrain} the end`, `${refrain} ${unknown} the end`)).toBe(
      `myloveandididmeet${unknown}theend`,
    );
    expect(matched(`${refrain} ${refrain} the end`, `${unknown} ${refrain} the end`)).toBe(
      `${unknown}myloveandididmeettheend`,
    );
  });

  it("[Z2] goes by sure letters where doubtful ones say otherwise", () => {
    expect(matched("stay here", "STAY HERE stay here")).toBe("stayhere");
  });

  it("[Z2] has no pairs where either is empty", () => {
    expect([...matchLetters(rowOf("ab"), rowOf(""))]).toEqual([-1, -1]);
    expect([...matchLetters(rowOf(""), rowOf("ab"))]).toEqual([]);
  });
});

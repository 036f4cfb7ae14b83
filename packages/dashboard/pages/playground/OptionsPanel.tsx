import type { Model } from "@stemwright/sdk";
import { nameLanguage } from "../../data/name-language.ts";
import { Field } from "../../parts/Field.tsx";
import { type Choice, listSoundFormats, listTextFormats, takesTranscript } from "./choice.ts";
import { WordsOptionsFields } from "./WordsOptionsFields.tsx";
import { isTranscribing } from "./words-options.ts";

const BIT_DEPTHS = [
  ["", "32 bit float"],
  ["24", "24 bit"],
  ["16", "16 bit"],
] as const;

function FormatChoices({
  title,
  formats,
  chosen,
  onChange,
}: {
  title: string;
  formats: readonly string[];
  chosen: readonly string[];
  onChange: (formats: readonly string[]) => void;
}) {
  const toggle = (format: string) =>
    onChange(chosen.includes(format) ? chosen.filter((each) => each !== format) : [...chosen, format]);
  return (
    <fieldset class="stack-tight">
      <legend class="field-label">{title}</legend>
      <div class="row row-wrap">
        {formats.map((format) => (
          <button
            key={format}
            type="button"
            class="choice"
            aria-pressed={chosen.includes(format)}
            onClick={() => toggle(format)}
          >
            {format}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

const unite = (lists: readonly (readonly string[] | undefined)[]) => [
  ...new Set(lists.flatMap((list) => list ?? [])),
];

/** Options of the chosen models; those that none of them supports are hidden. */
export function OptionsPanel({
  models,
  choice,
  onChange,
}: {
  models: readonly Model[];
  choice: Choice;
  onChange: (changes: Partial<Choice>) => void;
}) {
  const chosen = models.filter(({ id }) => choice.models.some((each) => each.id === id));
  const audio = unite(chosen.map(listSoundFormats));
  const text = unite(chosen.map(listTextFormats));
  const languages = unite(chosen.map(({ supportedLanguages }) => supportedLanguages));
  return (
    <section class="card stack" aria-labelledby="options-title">
      <h2 id="options-title">3. Formats and options</h2>
      {chosen.length === 0 && <p class="muted">Choose a model first.</p>}
      {audio.length > 0 && (
        <FormatChoices
          title="Sound"
          formats={audio}
          chosen={choice.audioFormats}
          onChange={(audioFormats) => onChange({ audioFormats })}
        />
      )}
      {audio.length > 0 && choice.audioFormats.includes("wav") && (
        <BitDepthField value={choice.bitDepth} onChange={(bitDepth) => onChange({ bitDepth })} />
      )}
      {text.length > 0 && (
        <FormatChoices
          title="Text"
          formats={text}
          chosen={choice.textFormats}
          onChange={(textFormats) => onChange({ textFormats })}
        />
      )}
      {languages.length > 0 && (
        <LanguageField
          codes={languages}
          value={choice.language}
          onChange={(language) => onChange({ language })}
        />
      )}
      {chosen.some(isTranscribing) && (
        <WordsOptionsFields
          options={choice.words}
          canTranslate={chosen.some(({ id }) => id === "transcription")}
          onChange={(changes) => onChange({ words: { ...choice.words, ...changes } })}
        />
      )}
      {chosen.some(takesTranscript) && (
        <TranscriptField value={choice.transcript} onChange={(transcript) => onChange({ transcript })} />
      )}
    </section>
  );
}

function BitDepthField({
  value,
  onChange,
}: {
  value: Choice["bitDepth"];
  onChange: (bitDepth: Choice["bitDepth"]) => void;
}) {
  return (
    <Field label="Bit depth of wav files">
      {(control) => (
        <select
          {...control}
          class="input option-narrow"
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value as Choice["bitDepth"])}
        >
          {BIT_DEPTHS.map(([depth, label]) => (
            <option key={depth} value={depth}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function LanguageField({
  codes,
  value,
  onChange,
}: {
  codes: readonly string[];
  value: string;
  onChange: (code: string) => void;
}) {
  return (
    <Field label="Language" hint="Set it if you know it. Otherwise it is detected from the first words.">
      {(control) => (
        <select
          {...control}
          class="input option-narrow"
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        >
          <option value="">Detect</option>
          {codes.map((code) => (
            <option key={code} value={code}>
              {nameLanguage(code)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function TranscriptField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  return (
    <Field
      label="Text to align"
      hint="Lyrics or a transcript, typed or dropped as a .txt file. Without one, the recording is transcribed first."
    >
      {(control) => (
        <textarea
          {...control}
          class="input"
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            const [file] = event.dataTransfer?.files ?? [];
            if (!file) return;
            event.preventDefault();
            void file.text().then(onChange);
          }}
        />
      )}
    </Field>
  );
}

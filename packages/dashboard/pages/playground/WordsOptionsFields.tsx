import { Field } from "../../parts/Field.tsx";
import { SelectField } from "../../parts/SelectField.tsx";
import { TextField } from "../../parts/TextField.tsx";
import { LINE_LENGTHS, LINES_MAX, SPEAKERS_MAX, type WordsOptions } from "./words-options.ts";

const SPEAKERS = [
  { value: "", text: "Don’t tell them apart" },
  { value: "any", text: "Any number" },
  ...Array.from({ length: SPEAKERS_MAX }, (_, n) => ({ value: `${n + 1}`, text: `${n + 1}` })),
];
const ROWS = [
  { value: "", text: "As usual (2)" },
  ...Array.from({ length: LINES_MAX }, (_, n) => ({ value: `${n + 1}`, text: `${n + 1}` })),
];

function Check({
  label,
  isChecked,
  onChange,
}: {
  label: string;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChecked}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {label}
    </label>
  );
}

/** Who speaks, what may be said, and how subtitles are laid out. */
export function WordsOptionsFields({
  options,
  canTranslate,
  onChange,
}: {
  options: WordsOptions;
  canTranslate: boolean;
  onChange: (changes: Partial<WordsOptions>) => void;
}) {
  return (
    <>
      <div class="option-grid">
        <SelectField
          label="Speakers"
          hint="Says who says what. Set their number if you know it."
          value={options.speakers}
          options={SPEAKERS}
          onChange={(speakers) => onChange({ speakers })}
        />
        <TextField
          label="Letters of a subtitle’s row"
          hint="42 if empty."
          type="number"
          isOptional
          {...LINE_LENGTHS}
          value={options.maxLineLength}
          onInput={(maxLineLength) => onChange({ maxLineLength })}
        />
        <SelectField
          label="Rows of a subtitle"
          value={options.maxLines}
          options={ROWS}
          onChange={(maxLines) => onChange({ maxLines })}
        />
      </div>
      <div class="row row-wrap">
        {options.speakers !== "" && (
          <Check
            label="Name the speakers in srt, vtt and txt as well"
            isChecked={options.speakerNames}
            onChange={(speakerNames) => onChange({ speakerNames })}
          />
        )}
        {canTranslate && (
          <Check
            label="Translate into English"
            isChecked={options.translate}
            onChange={(translate) => onChange({ translate })}
          />
        )}
        <Check
          label="Times from where the audio starts, if a video starts earlier"
          isChecked={options.isFromAudio}
          onChange={(isFromAudio) => onChange({ isFromAudio })}
        />
      </div>
      <TextField
        label="Names and terms that may be said"
        hint="As they are spelled, with commas between them."
        isOptional
        value={options.keywords}
        onInput={(keywords) => onChange({ keywords })}
      />
      <Field
        label="A text before it"
        hint="A few sentences the recording could continue: a guide to spelling and style."
      >
        {(control) => (
          <textarea
            {...control}
            class="input"
            rows={2}
            maxLength={1000}
            value={options.prompt}
            onInput={({ currentTarget }) => onChange({ prompt: currentTarget.value })}
          />
        )}
      </Field>
    </>
  );
}

import { useState } from "preact/hooks";
import { Dialog } from "../parts/Dialog.tsx";
import { Field } from "../parts/Field.tsx";
import { FormActions } from "../parts/FormActions.tsx";
import { SelectField } from "../parts/SelectField.tsx";
import { useForm } from "../parts/use-form.ts";
import { nameSpeaker, type Speaker, toSpeaker } from "./speakers.ts";

/** What gets the name: everything a speaker says, a line, or the selected words. */
export type SpeakerScope = "everything" | "line" | "selection";

const NAME_MAX_CHARACTERS = 64;

/** Names a speaker, or gives a line or some words to one; the name of another speaker means that one. */
export function SpeakerDialog({
  speaker,
  speakers,
  scopes,
  onApply,
  onClose,
}: {
  /** Who says it now, if that is known. */
  speaker: Speaker | undefined;
  /** All who are there. */
  speakers: readonly Speaker[];
  /** Those that are possible, the proposed one first. */
  scopes: readonly SpeakerScope[];
  onApply: (scope: SpeakerScope, speaker: Speaker) => void;
  onClose: () => void;
}) {
  const [scope, setScope] = useState<SpeakerScope>(scopes[0] ?? "line");
  const [name, setName] = useState(speaker === undefined ? "" : nameSpeaker(speaker));
  const texts: Record<SpeakerScope, string> = {
    everything: `Everything ${speaker === undefined ? "" : nameSpeaker(speaker)} says`,
    line: "This line alone",
    selection: "The selected words",
  };
  const named = toSpeaker(name, speakers);
  const isMerging = scope === "everything" && named !== speaker && speakers.includes(named);
  const form = useForm(async () => {
    onApply(scope, named);
    onClose();
  });
  return (
    <Dialog title="Who says this?" onClose={onClose}>
      <form class="stack" onSubmit={form.submit}>
        <Field
          label="Name"
          hint={
            isMerging
              ? "There is a speaker of this name: the two become one."
              : "A new name, or one that is there."
          }
        >
          {(control) => (
            <input
              {...control}
              class="input"
              required
              maxLength={NAME_MAX_CHARACTERS}
              pattern=".*\S.*"
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
              onFocus={({ currentTarget }) => currentTarget.select()}
            />
          )}
        </Field>
        {speakers.length > 0 && (
          <fieldset class="row row-wrap">
            <legend class="visually-hidden">Speakers</legend>
            {speakers.map((each) => (
              <button
                key={each}
                type="button"
                class="choice"
                aria-pressed={each === named}
                onClick={() => setName(nameSpeaker(each))}
              >
                {nameSpeaker(each)}
              </button>
            ))}
          </fieldset>
        )}
        <SelectField
          label="What"
          value={scope}
          options={scopes.map((value) => ({ value, text: texts[value] }))}
          onChange={setScope}
        />
        <FormActions form={form} action={isMerging ? "Merge the speakers" : "Apply"} onClose={onClose} />
      </form>
    </Dialog>
  );
}

import type { Model } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { loadModels } from "../../data/model-names.ts";
import { Loaded } from "../../parts/Loaded.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { useLoad } from "../../parts/use-load.ts";
import { replaceQuery } from "../../shell/router.ts";
import { type Choice, parseChoice, toQuery } from "./choice.ts";
import { ModelCards } from "./ModelCards.tsx";
import { OptionsPanel } from "./OptionsPanel.tsx";
import { isPresetChosen, PRESETS, type Preset } from "./presets.ts";
import { RequestCode } from "./RequestCode.tsx";
import { RunPanel } from "./RunPanel.tsx";
import { SourcePicker } from "./SourcePicker.tsx";
import { NO_WORDS_OPTIONS } from "./words-options.ts";
import "./playground.css";

function Presets({ choice, onChoose }: { choice: Choice; onChoose: (preset: Preset) => void }) {
  return (
    <div class="presets">
      {PRESETS.map((preset) => (
        <button
          key={preset.id}
          type="button"
          class="preset"
          aria-pressed={isPresetChosen(preset, choice)}
          onClick={() => onChoose(preset)}
        >
          <span class="preset-name">{preset.name}</span>
          <span class="small muted">{preset.description}</span>
        </button>
      ))}
    </div>
  );
}

function Playground({ models }: { models: readonly Model[] }) {
  // State besides the address: a long text does not fit into it.
  const [choice, setChoice] = useState(() =>
    parseChoice(new URLSearchParams(window.location.search), models),
  );
  const [folder, setFolder] = useState("");
  const change = (changes: Partial<Choice>) =>
    setChoice((old) => {
      const next = { ...old, ...changes };
      replaceQuery(toQuery(next));
      return next;
    });
  const usable = models.filter(({ access }) => access === "enabled").map(({ id }) => id);

  return (
    <div class="playground">
      <div class="stack">
        <SourcePicker
          models={models}
          url={choice.url}
          onUrl={(url) => change({ url })}
          onFolder={setFolder}
        />
        <section class="card stack" aria-labelledby="models-title">
          <h2 id="models-title">2. What to get</h2>
          <Presets
            choice={choice}
            onChoose={(preset) =>
              change({
                words: NO_WORDS_OPTIONS,
                ...preset.choice,
                models: preset.models.filter((id) => usable.includes(id)).map((id) => ({ id })),
              })
            }
          />
          <ModelCards models={models} choice={choice} onChange={(chosen) => change({ models: chosen })} />
        </section>
        <OptionsPanel models={models} choice={choice} onChange={change} />
      </div>
      <div class="stack playground-side">
        <RunPanel models={models} choice={choice} folder={folder} />
        <RequestCode models={models} choice={choice} />
      </div>
    </div>
  );
}

export default function PlaygroundPage() {
  const models = useLoad(loadModels, []);
  return (
    <>
      <PageHead title="Playground" lead="Separate a recording into stems and listen while it runs." />
      <Loaded loaded={models}>{(list) => <Playground models={list} />}</Loaded>
    </>
  );
}

import type { Model } from "@stemwright/sdk";
import { formatScore } from "../../data/format-score.ts";
import { groupModels } from "../../data/model-groups.ts";
import { AccessHint } from "../../parts/AccessHint.tsx";
import { formatCredits } from "../../parts/format.ts";
import { type Choice, type ChosenModel, isTextModel } from "./choice.ts";

function ChosenOptions({
  model,
  chosen,
  onChange,
}: {
  model: Model;
  chosen: ChosenModel;
  onChange: (chosen: ChosenModel) => void;
}) {
  const variants = model.variants?.filter(({ access }) => access === "enabled") ?? [];
  return (
    <div class="model-options row row-wrap small">
      {variants.map(({ id, description }) => (
        <label key={id} class="check" title={description}>
          <input
            type="checkbox"
            checked={chosen.variant === id}
            onChange={({ currentTarget }) => {
              const { variant: _, ...rest } = chosen;
              onChange(currentTarget.checked ? { ...rest, variant: id } : rest);
            }}
          />
          {id.replaceAll("_", " ")}
        </label>
      ))}
      {!isTextModel(model) && (
        <label class="check" title="Also return the residual: the input without this stem">
          <input
            type="checkbox"
            checked={chosen.isResidual ?? false}
            onChange={({ currentTarget }) => onChange({ ...chosen, isResidual: currentTarget.checked })}
          />
          residual
        </label>
      )}
    </div>
  );
}

function describeRate({ creditsPerMinute }: Model) {
  return creditsPerMinute === undefined ? "" : `${formatCredits(creditsPerMinute)}/min`;
}

function ModelCard({
  model,
  chosen,
  onChange,
}: {
  model: Model;
  chosen: ChosenModel | undefined;
  onChange: (chosen: ChosenModel | undefined) => void;
}) {
  const isOpen = model.access === "enabled";
  const [score] = model.scores ?? [];
  return (
    <li class="model-card" data-chosen={chosen ? true : undefined} data-closed={isOpen ? undefined : true}>
      <label class="model-head">
        <input
          type="checkbox"
          checked={chosen !== undefined}
          disabled={!isOpen}
          onChange={({ currentTarget }) => onChange(currentTarget.checked ? { id: model.id } : undefined)}
        />
        <span class="model-name">{model.name}</span>
        <span class="small muted">{isOpen ? describeRate(model) : "needs access"}</span>
      </label>
      <p class="small muted">{model.description}</p>
      <p
        class="model-facts small muted"
        title={`${score?.dataset ?? ""} ${model.weights?.licence ?? ""}`.trim()}
      >
        {[score && formatScore(score), model.weights && shortenLicence(model.weights.licence)]
          .filter(Boolean)
          .join(" · ")}
      </p>
      {!isOpen && <AccessHint />}
      {chosen && <ChosenOptions model={model} chosen={chosen} onChange={onChange} />}
    </li>
  );
}

/** The licence in a few words; the models page has all of it. */
const shortenLicence = (licence: string) =>
  licence.includes("personal use only")
    ? "research and personal use only"
    : (licence.split(/[\s,(]/)[0] ?? licence);

/** Every installed model with its outputs, cost and measured quality. */
export function ModelCards({
  models,
  choice,
  onChange,
}: {
  models: readonly Model[];
  choice: Choice;
  onChange: (models: readonly ChosenModel[]) => void;
}) {
  const change = (id: string) => (chosen: ChosenModel | undefined) => {
    const others = choice.models.filter((each) => each.id !== id);
    if (!chosen) return onChange(others);
    const isThere = others.length < choice.models.length;
    return onChange(
      isThere ? choice.models.map((each) => (each.id === id ? chosen : each)) : [...others, chosen],
    );
  };
  return (
    <>
      {groupModels(models.filter(({ installed }) => installed)).map(({ title, models: group }) => (
        <fieldset key={title} class="stack-tight">
          <legend class="field-label">{title}</legend>
          <ul class="plain-list model-cards">
            {group.map((model) => (
              <ModelCard
                key={model.id}
                model={model}
                chosen={choice.models.find(({ id }) => id === model.id)}
                onChange={change(model.id)}
              />
            ))}
          </ul>
        </fieldset>
      ))}
    </>
  );
}

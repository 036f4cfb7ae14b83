/** Whether a client pays in advance. */
export function MeteredField({
  isMetered,
  onChange,
}: {
  isMetered: boolean;
  onChange: (isMetered: boolean) => void;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isMetered}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      Pays in advance: Tasks are refused when its credits do not cover them
    </label>
  );
}

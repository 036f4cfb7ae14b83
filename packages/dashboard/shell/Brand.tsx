import icon from "./icon.svg";

/** The service's name, on pages without the navigation. */
export function Brand() {
  return (
    <div class="brand">
      <img src={icon} alt="" />
      Stemwright
    </div>
  );
}

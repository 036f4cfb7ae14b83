import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { actFor, actingFor } from "../account/acting-for.ts";
import { me, signOut } from "../account/session.ts";
import { Button } from "../parts/Button.tsx";
import { Icon } from "../parts/Icon.tsx";
import { reportError } from "../parts/toast.ts";
import icon from "./icon.svg";
import { NAVIGATION, type NavigationLink } from "./navigation.ts";
import { address } from "./router.ts";
import { ThemeSwitch } from "./ThemeSwitch.tsx";

const isAt = (path: string, { to }: NavigationLink) => path === to || path.startsWith(`${to}/`);

function SideLink({ link }: { link: NavigationLink }) {
  return (
    <a class="side-link" href={link.to} aria-current={isAt(address.value.path, link) ? "page" : undefined}>
      <Icon name={link.icon} />
      {link.label}
    </a>
  );
}

function Account() {
  const { value } = me;
  if (!value) return null;
  return (
    <div class="row row-apart">
      <div class="small truncate">
        <div class="truncate">{value.person.name}</div>
        <div class="muted truncate">{actingFor?.name ?? value.client.name}</div>
      </div>
      <button
        type="button"
        class="button button-plain button-icon"
        aria-label="Sign out"
        title="Sign out"
        onClick={() => void signOut().catch(reportError)}
      >
        <Icon name="sign-out" />
      </button>
    </div>
  );
}

/** Above every page, as a reminder of whose Tasks and keys these are. */
function ActingBanner() {
  if (!actingFor) return null;
  const { id, name } = actingFor;
  return (
    <section class="acting row row-apart row-wrap" aria-label="Acting for a client">
      <span>
        You act for <strong>{name}</strong>. Everything but Administration, Profile and Sessions is theirs.
      </span>
      <Button isSmall onClick={() => actFor(undefined, `app/admin/clients/${id}`)}>
        Stop
      </Button>
    </section>
  );
}

/** The links to all pages, and whose they are. */
function Side() {
  const groups = NAVIGATION.filter(
    ({ isForAdministrators }) => !isForAdministrators || me.value?.person.isAdministrator,
  );
  return (
    <div class="side-body">
      {groups.map(({ title, links }, index) => (
        <nav key={title ?? index} aria-label={title ?? "Main"}>
          {title && <div class="side-title">{title}</div>}
          {links.map((link) => (
            <SideLink key={link.to} link={link} />
          ))}
        </nav>
      ))}
      <div class="side-foot">
        <a class="side-link" href="docs" target="_blank" rel="noreferrer">
          <Icon name="book" />
          API reference
        </a>
        <ThemeSwitch />
        <Account />
      </div>
    </div>
  );
}

/** Whether the menu of narrow screens is open: it closes with Escape, when the focus leaves it and on another page. */
function useMenu() {
  const [isOpen, setOpen] = useState(false);
  const side = useRef<HTMLElement>(null);
  const menu = useRef<HTMLButtonElement>(null);
  const { path } = address.value;
  useEffect(() => setOpen(false), [path]);
  useEffect(() => {
    const header = side.current;
    if (!header || !isOpen) return undefined;
    const press = ({ key }: KeyboardEvent) => {
      if (key !== "Escape") return;
      setOpen(false);
      menu.current?.focus();
    };
    // The open menu would cover what gets the focus.
    const leave = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget instanceof Node && !header.contains(relatedTarget)) setOpen(false);
    };
    header.addEventListener("keydown", press);
    header.addEventListener("focusout", leave);
    return () => {
      header.removeEventListener("keydown", press);
      header.removeEventListener("focusout", leave);
    };
  }, [isOpen]);
  return { isOpen, setOpen, side, menu };
}

/** The navigation with a page beside it; on narrow screens above it, behind a button. */
export function Frame({ children }: { children: ComponentChildren }) {
  const { isOpen, setOpen, side, menu } = useMenu();
  return (
    <div class="frame">
      <button
        type="button"
        class="button button-primary skip"
        onClick={() => document.querySelector<HTMLElement>("main")?.focus()}
      >
        Skip to the page
      </button>
      <header class="side" data-open={isOpen || undefined} ref={side}>
        <div class="side-head">
          <a class="brand" href="app">
            <img src={icon} alt="" />
            Stemwright
          </a>
          <button
            ref={menu}
            type="button"
            class="button button-plain side-menu"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? "close" : "menu"} />
            Menu
          </button>
        </div>
        <Side />
      </header>
      <main class="page" tabIndex={-1}>
        <ActingBanner />
        {children}
      </main>
    </div>
  );
}

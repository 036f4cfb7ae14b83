import { z } from "zod";
import { dateTime, id } from "./id.ts";
import { plainText } from "./plain-text.ts";

export const PERSON_ROLES = ["owner", "member"] as const;
export type PersonRole = (typeof PERSON_ROLES)[number];

export const SIGN_IN_METHODS = ["password", "link", "invitation", "oidc"] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

const MIN_PASSWORD_CHARACTERS = 10;
/** Longer ones only cost hashing time. */
const MAX_PASSWORD_CHARACTERS = 200;

const role = z
  .enum(PERSON_ROLES)
  .meta({ description: "Owners invite and remove people; members do everything else" });
const name = plainText(200).min(1).meta({ description: "For people", example: "Ada" });
/** Mail programs differ in upper and lower case; mailboxes never do. */
const typedEmail = plainText(254).trim().toLowerCase();
/** Quoted local parts, comments and address literals are no addresses here: programs disagree about what they mean. */
const EMAIL = /^[^\s@"`<>()[\]\\,;:]+@[^\s@"'`<>()[\]\\,;:.]+(?:\.[^\s@"'`<>()[\]\\,;:.]+)*$/;
export const emailAddress = typedEmail
  .normalize("NFC")
  .regex(EMAIL, "must be an email address")
  .refine((text) => !/\p{C}/u.test(text), "must not contain control or invisible characters")
  .meta({ example: "ada@example.com" });
/** Of people who are here already, by whatever rule held then. */
const knownEmail = typedEmail.meta({ example: "ada@example.com" });
const anyPassword = plainText(MAX_PASSWORD_CHARACTERS);
const newPassword = anyPassword
  .refine(
    (text) => [...text].length >= MIN_PASSWORD_CHARACTERS,
    `must have at least ${MIN_PASSWORD_CHARACTERS} characters`,
  )
  .meta({ description: `At least ${MIN_PASSWORD_CHARACTERS} characters` });
const token = plainText(200).min(1).meta({ description: "Fragment of the link, after #" });

export const person = z
  .object({
    id,
    email: z.string().nullable().meta({ description: "Null until it is set" }),
    name: z.string(),
    role,
    isAdministrator: z.boolean().meta({ description: "Whether the person may act for all clients" }),
    createdAt: dateTime,
    lastSeenAt: dateTime.nullable(),
  })
  .meta({ id: "Person" });
export type Person = z.infer<typeof person>;

export const me = z
  .object({
    person: person.pick({ id: true, email: true, name: true, role: true, isAdministrator: true }),
    client: z.object({ id, name: z.string() }),
    needsPassword: z.boolean().meta({
      description:
        "Whether email and password are still to be set; until then another link is needed to sign in",
    }),
    hasPassword: z.boolean().meta({
      description: "Whether the person has a password; people of the identity provider need none",
    }),
    mayResetPassword: z.boolean().meta({
      description:
        "Whether email and password can be changed without `currentPassword`: for an hour after a sign-in by link and, without a password, for ten minutes after one at the identity provider",
    }),
    hasIdentity: z
      .boolean()
      .meta({ description: "Whether the identity provider lets this person in, and not only the password" }),
  })
  .meta({ id: "Me" });
export type Me = z.infer<typeof me>;

export const accountOptions = z
  .object({
    hasPeople: z.boolean().meta({ description: "Whether an account with an email address exists" }),
    oidc: z
      .object({ name: z.string() })
      .nullable()
      .meta({ description: "The identity provider, where one is set up; sign in at /account/oidc/start" }),
  })
  .meta({ id: "AccountOptions" });
export type AccountOptions = z.infer<typeof accountOptions>;

export const signInRequest = z
  .object({ email: knownEmail, password: anyPassword })
  .meta({ id: "SignInRequest" });
export type SignInRequest = z.output<typeof signInRequest>;
export type SignInInput = z.input<typeof signInRequest>;

export const linkSignInRequest = z.object({ token }).meta({ id: "LinkSignInRequest" });

export const meChange = z
  .object({
    name: name.exactOptional(),
    email: emailAddress.exactOptional(),
    password: newPassword.exactOptional(),
    currentPassword: anyPassword.exactOptional().meta({
      description: "Needed to change email or password, except where `mayResetPassword` is true",
    }),
  })
  .meta({ id: "MeChange" });
export type MeChange = z.output<typeof meChange>;
export type MeChangeInput = z.input<typeof meChange>;

export const personChange = z.object({ role }).meta({ id: "PersonChange" });
export type PersonChange = z.output<typeof personChange>;

export const personSession = z
  .object({
    id,
    method: z.enum(SIGN_IN_METHODS),
    address: z.string().meta({ description: "Where it was signed in from" }),
    agent: z.string().meta({ description: "User agent" }),
    createdAt: dateTime,
    lastUsedAt: dateTime,
    isCurrent: z.boolean().meta({ description: "Whether this request belongs to it" }),
  })
  .meta({ id: "PersonSession" });
export type PersonSession = z.infer<typeof personSession>;

export const invitationRequest = z
  .object({
    role: role.default("member"),
    email: emailAddress.exactOptional().meta({
      description: "Email address of the recipient; only they can accept it",
      example: "ada@example.com",
    }),
  })
  .meta({ id: "InvitationRequest" });
export type InvitationRequest = z.output<typeof invitationRequest>;
export type InvitationInput = z.input<typeof invitationRequest>;

export const invitation = z
  .object({
    id,
    role,
    email: z.string().nullable(),
    createdAt: dateTime,
    expiresAt: dateTime,
  })
  .meta({ id: "Invitation" });
export type Invitation = z.infer<typeof invitation>;

export const newInvitation = invitation
  .extend({ url: z.string().meta({ description: "The invitation link; returned once" }) })
  .meta({ id: "NewInvitation" });
export type NewInvitation = z.infer<typeof newInvitation>;

export const invitationLookup = z.object({ token }).meta({ id: "InvitationLookup" });

export const receivedInvitation = z
  .object({
    client: z.object({ name: z.string() }).meta({ description: "The account that it leads into" }),
    role,
    email: z
      .string()
      .nullable()
      .meta({ description: "Email address of the recipient; null for anyone with the link" }),
    expiresAt: dateTime,
  })
  .meta({ id: "ReceivedInvitation" });
export type ReceivedInvitation = z.infer<typeof receivedInvitation>;

/** Where to send the browser next. */
export const providerRedirect = z
  .object({ url: z.string().meta({ description: "At the identity provider; open it in the same browser" }) })
  .meta({ id: "ProviderRedirect" });
export type ProviderRedirect = z.infer<typeof providerRedirect>;

export const invitationAcceptance = z
  .object({ token, email: emailAddress, name, password: newPassword })
  .meta({ id: "InvitationAcceptance" });
export type InvitationAcceptance = z.output<typeof invitationAcceptance>;
export type InvitationAcceptanceInput = z.input<typeof invitationAcceptance>;

export const signedOut = z.object({ signedOut: z.literal(true) }).meta({ id: "SignedOut" });
export type SignedOut = z.infer<typeof signedOut>;

export type {
  AccountOptions,
  ApiErrorCode,
  ApiErrorDetail,
  ApiKey,
  Asset,
  Client,
  ClientChangeInput,
  ClientInput,
  CreditEntry,
  CreditGrantInput,
  Credits,
  DeliveryState,
  DistributionRow,
  Gap,
  Invitation,
  InvitationAcceptanceInput,
  InvitationInput,
  KeyInput,
  LegacyAsset,
  LegacyJob,
  LegacyJobRequest,
  LegacyLinkRequest,
  LegacyUsage,
  Me,
  MeChangeInput,
  Model,
  ModelGrant,
  ModelGrantInput,
  NewApiKey,
  NewInvitation,
  NewLegacyJob,
  NewShare,
  OutputFile,
  Person,
  PersonChange,
  PersonRole,
  PersonSession,
  PreviewTrack,
  ProviderRedirect,
  QueueState,
  Realignment,
  ReceivedInvitation,
  SentWebhookDelivery,
  ServiceHealth,
  Share,
  SharedTask,
  ShareInput,
  SignedOut,
  SignInInput,
  SignInMethod,
  StorageIntegration,
  StorageIntegrationInput,
  StorageVerification,
  Target,
  TargetInput,
  TargetStatus,
  Task,
  TaskEstimate,
  TaskExports,
  TaskInput,
  TaskListItem,
  TaskPreviews,
  TextOutputFormat,
  TimedLine,
  TimedWord,
  Upload,
  UploadPart,
  UsageRow,
  Webhook,
  WebhookDelivery,
  Words,
  WordsEditInput,
  WordsVersion,
  Worker,
} from "@stemwright/contract";
export type { DownloadOptions, DownloadProgress } from "./downloads/open-link.ts";
export * from "./errors.ts";
export type { Listing, ListQuery, Page } from "./http/listing.ts";
export type { RequestOptions, StemwrightOptions } from "./options.ts";
export type { AssetQuery, AssetUploadOptions } from "./resources/assets.ts";
export type { PeaksQuery, PreviewChunk, PreviewPeaks, PreviewQuery } from "./resources/preview-chunks.ts";
export type { UploadStart } from "./resources/resumable-uploads.ts";
export type { StatisticsQuery } from "./resources/statistics.ts";
export type { TargetRef } from "./resources/task-words.ts";
export type { SaveAllOptions, TaskQuery } from "./resources/tasks.ts";
export type { DeliveryQuery } from "./resources/webhooks.ts";
export { Stemwright } from "./stemwright.ts";
export { toOutputFileName } from "./tasks/outputs.ts";
export type { RunInput, RunOptions } from "./tasks/run-task.ts";
export type { TaskEvent } from "./tasks/task-events.ts";
export type { QueueUpdate, TaskProgress, WaitOptions } from "./tasks/wait-for-task.ts";
export type { UploadProgress } from "./uploads/multipart.ts";
export type { UploadOptions } from "./uploads/upload-file.ts";
export type { UploadInput } from "./uploads/upload-source.ts";
export { type UnwrapOptions, unwrapWebhook, type WebhookHeaders } from "./webhooks/unwrap-webhook.ts";

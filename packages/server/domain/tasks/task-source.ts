/** Where an input or a transcript is actually read from, as resolved when its Task was created. */
export type TaskSource = {
  /** The target whose transcript it is; absent for the Task's input. */
  targetId?: string;
  /** The stored file behind one of our own links, or behind the id of an output. */
  blobKey?: string;
  /** `user:password` of the URL, encrypted; bound to the Task's id. */
  sealedLogin?: Buffer;
};

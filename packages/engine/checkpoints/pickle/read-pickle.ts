import { CheckpointError, makeDamagedError } from "../checkpoint-error.ts";
import { callByName, toStorage } from "./pickle-calls.ts";
import type { PickleCursor } from "./pickle-cursor.ts";
import { findText, InertObject, PickledName, type PickledStorage } from "./pickled.ts";

/** An honest file of 10,000 tensors needs 600,000. */
const MAX_OPERATIONS = 8_000_000;
/** Objects take a hundred bytes and more. */
const MAX_OBJECTS = 2_000_000;
const MAX_NESTING = 1000;
const MAX_INTEGER_BYTES = 64;

type Machine = {
  cursor: PickleCursor;
  stack: unknown[];
  /** The stacks below each mark. */
  below: unknown[][];
  memo: Map<number, unknown>;
  made: number;
  onStorage: (storage: PickledStorage) => void;
};

type Operation = (machine: Machine) => void;

function pop({ stack }: Machine): unknown {
  if (stack.length === 0) throw makeDamagedError("its list of tensors can't be read");
  return stack.pop();
}

function peek({ stack }: Machine): unknown {
  if (stack.length === 0) throw makeDamagedError("its list of tensors can't be read");
  return stack.at(-1);
}

function popMarked(machine: Machine): unknown[] {
  const items = machine.stack;
  const below = machine.below.pop();
  if (below === undefined) throw makeDamagedError("its list of tensors can't be read");
  machine.stack = below;
  return items;
}

function make(machine: Machine, value: unknown): void {
  machine.made += 1;
  if (machine.made > MAX_OBJECTS)
    throw new CheckpointError("too-large", "The file's list of tensors is larger than that of any network.");
  machine.stack.push(value);
}

const push =
  (read: (cursor: PickleCursor) => unknown): Operation =>
  (machine) =>
    void machine.stack.push(read(machine.cursor));

const decoder = new TextDecoder();
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
const uint8 = (cursor: PickleCursor) => cursor.byte();
const uint16 = (cursor: PickleCursor) => cursor.view(2).getUint16(0, true);
const uint32 = (cursor: PickleCursor) => cursor.view(4).getUint32(0, true);
const uint64 = (cursor: PickleCursor) => Number(cursor.view(8).getBigUint64(0, true));
const text = (length: (cursor: PickleCursor) => number) => (cursor: PickleCursor) =>
  decoder.decode(cursor.bytes(length(cursor)));
const oldText = (length: (cursor: PickleCursor) => number) => (cursor: PickleCursor) =>
  latin1(cursor.bytes(length(cursor)));
const bytes = (length: (cursor: PickleCursor) => number) => (cursor: PickleCursor) =>
  cursor.bytes(length(cursor));

function longInteger(length: (cursor: PickleCursor) => number) {
  return (cursor: PickleCursor) => {
    const size = length(cursor);
    if (size > MAX_INTEGER_BYTES) throw makeDamagedError(`it has an integer of ${size} bytes`);
    let value = 0n;
    for (let n = 0; n < size; n++) value |= BigInt(cursor.byte()) << BigInt(8 * n);
    const signed = BigInt.asIntN(8 * size, value);
    return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
  };
}

const remember =
  (slot: (machine: Machine) => number): Operation =>
  (machine) =>
    void machine.memo.set(slot(machine), peek(machine));

const recall =
  (slot: (cursor: PickleCursor) => number): Operation =>
  (machine) => {
    const key = slot(machine.cursor);
    if (!machine.memo.has(key)) throw makeDamagedError("its list of tensors refers to a missing part");
    machine.stack.push(machine.memo.get(key));
  };

const tuple =
  (count: number): Operation =>
  (machine) =>
    make(machine, Array.from({ length: count }, () => pop(machine)).reverse());

function append(machine: Machine, items: readonly unknown[]): void {
  const list = peek(machine);
  // Items of an object without meaning are dropped with it.
  if (Array.isArray(list)) for (const item of items) list.push(item);
}

function setItems(machine: Machine, items: readonly unknown[]): void {
  const target = peek(machine);
  if (!(target instanceof Map)) return;
  for (let at = 0; at + 1 < items.length; at += 2) target.set(items[at], items[at + 1]);
}

function call(machine: Machine, callee: unknown, args: unknown): void {
  if (callee instanceof InertObject) {
    make(machine, callee);
    return;
  }
  if (!(callee instanceof PickledName) || !Array.isArray(args))
    throw makeDamagedError("it calls something without a name");
  make(machine, callByName(callee, args));
}

const reduce: Operation = (machine) => {
  const args = pop(machine);
  call(machine, pop(machine), args);
};

/** Code, mnemonic as in Python's pickletools, and what it does. */
const OPERATIONS: readonly (readonly [code: number, operation: Operation])[] = [
  [0x80, (machine) => void machine.cursor.byte()], // PROTO
  [0x95, (machine) => void machine.cursor.view(8)], // FRAME
  [
    0x28, // MARK
    (machine) => {
      machine.below.push(machine.stack);
      machine.stack = [];
      if (machine.below.length > MAX_NESTING)
        throw makeDamagedError("its list of tensors is nested too deeply");
    },
  ],
  [0x30, (machine) => void pop(machine)], // POP
  [0x31, (machine) => void popMarked(machine)], // POP_MARK
  [0x32, (machine) => void machine.stack.push(peek(machine))], // DUP
  [0x4e, push(() => null)], // NONE
  [0x88, push(() => true)], // NEWTRUE
  [0x89, push(() => false)], // NEWFALSE
  [0x4a, push((cursor) => cursor.view(4).getInt32(0, true))], // BININT
  [0x4b, push(uint8)], // BININT1
  [0x4d, push(uint16)], // BININT2
  [0x8a, push(longInteger(uint8))], // LONG1
  [0x8b, push(longInteger(uint32))], // LONG4
  [0x47, push((cursor) => cursor.view(8).getFloat64(0, false))], // BINFLOAT
  [0x58, push(text(uint32))], // BINUNICODE
  [0x8c, push(text(uint8))], // SHORT_BINUNICODE
  [0x8d, push(text(uint64))], // BINUNICODE8
  [0x54, push(oldText(uint32))], // BINSTRING
  [0x55, push(oldText(uint8))], // SHORT_BINSTRING
  [0x42, push(bytes(uint32))], // BINBYTES
  [0x43, push(bytes(uint8))], // SHORT_BINBYTES
  [0x8e, push(bytes(uint64))], // BINBYTES8
  [0x96, push(bytes(uint64))], // BYTEARRAY8
  [0x5d, (machine) => make(machine, [])], // EMPTY_LIST
  [0x29, (machine) => make(machine, [])], // EMPTY_TUPLE
  [0x7d, (machine) => make(machine, new Map())], // EMPTY_DICT
  [0x8f, (machine) => make(machine, [])], // EMPTY_SET
  [0x85, tuple(1)], // TUPLE1
  [0x86, tuple(2)], // TUPLE2
  [0x87, tuple(3)], // TUPLE3
  [0x74, (machine) => make(machine, popMarked(machine))], // TUPLE
  [0x6c, (machine) => make(machine, popMarked(machine))], // LIST
  [0x91, (machine) => make(machine, popMarked(machine))], // FROZENSET
  [
    0x64, // DICT
    (machine) => {
      const items = popMarked(machine);
      make(machine, new Map());
      setItems(machine, items);
    },
  ],
  [
    0x61, // APPEND
    (machine) => {
      const item = pop(machine);
      append(machine, [item]);
    },
  ],
  [
    0x65, // APPENDS
    (machine) => {
      const items = popMarked(machine);
      append(machine, items);
    },
  ],
  [
    0x90, // ADDITEMS
    (machine) => {
      const items = popMarked(machine);
      append(machine, items);
    },
  ],
  [
    0x73, // SETITEM
    (machine) => {
      const value = pop(machine);
      const key = pop(machine);
      setItems(machine, [key, value]);
    },
  ],
  [
    0x75, // SETITEMS
    (machine) => {
      const items = popMarked(machine);
      setItems(machine, items);
    },
  ],
  [0x71, remember(({ cursor }) => uint8(cursor))], // BINPUT
  [0x72, remember(({ cursor }) => uint32(cursor))], // LONG_BINPUT
  [0x94, remember(({ memo }) => memo.size)], // MEMOIZE
  [0x68, recall(uint8)], // BINGET
  [0x6a, recall(uint32)], // LONG_BINGET
  [0x63, (machine) => make(machine, new PickledName(machine.cursor.line(), machine.cursor.line()))], // GLOBAL
  [
    0x93, // STACK_GLOBAL
    (machine) => {
      const name = findText(pop(machine));
      const module = findText(pop(machine));
      if (module === undefined || name === undefined)
        throw makeDamagedError("it calls something without a name");
      make(machine, new PickledName(module, name));
    },
  ],
  [0x52, reduce], // REDUCE
  [0x81, reduce], // NEWOBJ
  [
    0x92, // NEWOBJ_EX
    (machine) => {
      pop(machine);
      reduce(machine);
    },
  ],
  [
    0x69, // INST
    (machine) => {
      const name = new PickledName(machine.cursor.line(), machine.cursor.line());
      call(machine, name, popMarked(machine));
    },
  ],
  [
    0x6f, // OBJ
    (machine) => {
      const [name, ...args] = popMarked(machine);
      call(machine, name, args);
    },
  ],
  // The state of an object: of a map of weights it is the versions of its modules.
  [0x62, (machine) => void pop(machine)], // BUILD
  [
    0x51, // BINPERSID
    (machine) => {
      const storage = toStorage(pop(machine));
      machine.onStorage(storage);
      make(machine, storage);
    },
  ],
];

const BY_CODE = new Map(OPERATIONS);
const STOP = 0x2e;

/** Reads one pickle without executing anything: dicts become maps, tuples and sets lists, and whatever else has no meaning here an inert object. */
export function readPickle(
  cursor: PickleCursor,
  onStorage: (storage: PickledStorage) => void = () => {},
): unknown {
  const machine: Machine = { cursor, stack: [], below: [], memo: new Map(), made: 0, onStorage };
  for (let count = 0; count < MAX_OPERATIONS; count++) {
    const code = cursor.byte();
    if (code === STOP) return pop(machine);
    const operation = BY_CODE.get(code);
    if (operation === undefined)
      throw new CheckpointError(
        "refused",
        `The file has the pickle operation 0x${code.toString(16).padStart(2, "0")}, which no checkpoint uses. It is damaged, or no checkpoint.`,
      );
    operation(machine);
  }
  throw new CheckpointError("too-large", "The file's list of tensors is larger than that of any network.");
}

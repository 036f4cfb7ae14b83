import { expect, it } from "vitest";
import { GraphThread, type ThreadChain } from "./graph-thread.ts";
import { GraphBuilder } from "./onnx/graph-builder.ts";

const SHAPE = [3];

/** input · factor + summand; input and summand by name. */
function makeLink(names: { input: string; summand: string; output: string }, factor: number) {
  const graph = new GraphBuilder();
  const [input, summand] = [graph.input("a", SHAPE), graph.input("b", SHAPE)];
  graph.output(graph.add(graph.mul(input, graph.floats([factor])), summand));
  return {
    file: graph.toBytes(),
    inputs: [names.input, names.summand].map((name) => ({ name, shape: SHAPE })),
    outputs: [{ name: names.output, shape: SHAPE }],
  };
}

async function startChain(): Promise<ThreadChain> {
  const chain = await GraphThread.startChain({ threads: 1 });
  expect(await chain.add(makeLink({ input: "x", summand: "x", output: "between" }, 2))).toBe("cpu");
  await chain.add(makeLink({ input: "between", summand: "x", output: "y" }, 10));
  return chain;
}

it("graphs run in order on the inputs and on earlier outputs", async () => {
  const chain = await startChain();
  const counts: number[] = [];
  const { x, y } = await chain.run({ x: Float32Array.of(1, 2, 3), y: new Float32Array(3) }, (count) =>
    counts.push(count),
  );
  expect([...y]).toEqual([31, 62, 93]);
  expect([...x]).toEqual([1, 2, 3]);
  expect(counts).toEqual([1, 2]);
});

it("queued runs are processed in order, and their buffers are detached meanwhile", async () => {
  const chain = await startChain();
  const given = [1, 2, 3].map((value) => ({ x: new Float32Array(3).fill(value), y: new Float32Array(3) }));
  const running = given.map((buffers) => chain.run(buffers));
  expect(given.map(({ x }) => x.length)).toEqual([0, 0, 0]);
  const results = await Promise.all(running);
  expect(results.map(({ y }) => y[2])).toEqual([31, 62, 93]);
});

it("a buffer of the wrong size is a network error, and the next run works", async () => {
  const chain = await startChain();
  const short = chain.run({ x: new Float32Array(2), y: new Float32Array(3) });
  await expect(short).rejects.toMatchObject({ name: "EngineError", kind: "network-failed" });
  const { y } = await chain.run({ x: new Float32Array(3).fill(1), y: new Float32Array(3) });
  expect(y[0]).toBe(31);
});

it("an unreadable graph breaks the chain: all later commands fail for the same reason", async () => {
  const chain = await startChain();
  const link = makeLink({ input: "y", summand: "x", output: "z" }, 1);
  const [adding, running] = [
    chain.add({ ...link, file: Uint8Array.of(1, 2, 3) }),
    chain.run({ x: new Float32Array(3), y: new Float32Array(3), z: new Float32Array(3) }),
  ];
  const failure = await adding.catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: "EngineError", kind: "network-failed" });
  await expect(running).rejects.toBe(failure);
  await expect(chain.add(link)).rejects.toBe(failure);
});

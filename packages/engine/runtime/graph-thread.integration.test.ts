import { expect, it } from "vitest";
import { GraphThread } from "./graph-thread.ts";
import { GraphBuilder } from "./onnx/graph-builder.ts";

const SHAPE = [3];

/** input · factor + summand, the first two by name. */
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

async function startChain(): Promise<GraphThread> {
  const thread = await GraphThread.start({ threads: 1 });
  expect(await thread.add(makeLink({ input: "x", summand: "x", output: "between" }, 2))).toBe("cpu");
  await thread.add(makeLink({ input: "between", summand: "x", output: "y" }, 10));
  return thread;
}

it("graphs run in their order on what is given and on what those before them made", async () => {
  const thread = await startChain();
  const counts: number[] = [];
  const { x, y } = await thread.run({ x: Float32Array.of(1, 2, 3), y: new Float32Array(3) }, (count) =>
    counts.push(count),
  );
  expect([...y]).toEqual([31, 62, 93]);
  expect([...x]).toEqual([1, 2, 3]);
  expect(counts).toEqual([1, 2]);
});

it("what is given ahead is run in order, and what it was given is gone meanwhile", async () => {
  const thread = await startChain();
  const given = [1, 2, 3].map((value) => ({ x: new Float32Array(3).fill(value), y: new Float32Array(3) }));
  const running = given.map((buffers) => thread.run(buffers));
  expect(given.map(({ x }) => x.length)).toEqual([0, 0, 0]);
  const results = await Promise.all(running);
  expect(results.map(({ y }) => y[2])).toEqual([31, 62, 93]);
});

it("a graph that cannot be read, and memory of another size, are errors of the model; the thread goes on", async () => {
  const thread = await startChain();
  const nonsense = {
    ...makeLink({ input: "y", summand: "x", output: "z" }, 1),
    file: Uint8Array.of(1, 2, 3),
  };
  await expect(thread.add(nonsense)).rejects.toMatchObject({ name: "EngineError", kind: "model-failed" });
  const short = thread.run({ x: new Float32Array(2), y: new Float32Array(3) });
  await expect(short).rejects.toMatchObject({ name: "EngineError", kind: "model-failed" });
  const { y } = await thread.run({ x: new Float32Array(3).fill(1), y: new Float32Array(3) });
  expect(y[0]).toBe(31);
});

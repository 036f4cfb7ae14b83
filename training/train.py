"""Trains the network of a recipe; a stopped run can be resumed.

    python3 -m training.train --recipe training/recipes/dialogue-music-effects.json --packs FOLDER --out FOLDER --minutes 25

The learning rate is constant and falls to zero over the last part of the time. `--end-at-file` names a file with the Unix time to
be finished by (it may change while training runs); packs that appear in the folder meanwhile join the pools.
"""

import argparse
import json
import time
from pathlib import Path

import torch

from training.checkpoint import copy_fitting, load_network, make_network, save_weights
from training.mix.pool import Pools
from training.optimizers.finite_step import step_if_finite
from training.optimizers.muon import make_optimizers
from training.tasks.analysis import Analysis
from training.tasks.cleaning import Cleaning
from training.tasks.detection import Detection
from training.tasks.separation import Lead, Separation
from training.tasks.splitting import Splitting
from training.tasks.speakers import Speakers
from training.tasks.turns import Turns
from training.tasks.two_voices import TwoVoices

TASKS = {
    "separation": Separation,
    "lead": Lead,
    "detection": Detection,
    "splitting": Splitting,
    "two-voices": TwoVoices,
    "speakers": Speakers,
    "turns": Turns,
    "cleaning": Cleaning,
    "analysis": Analysis,
}


def parse_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--recipe", type=Path, required=True)
    parser.add_argument("--packs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--end-at-file", type=Path)
    parser.add_argument("--init", default="", help="weights to start from: .pt or .onnx")
    parser.add_argument("--start-from", default="", help="weights of another network: what has the same name and shape is taken over")
    parser.add_argument("--resume", default="", help="full state to go on from")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--muon-learning-rate", type=float)
    parser.add_argument("--evaluate-every-s", type=float, default=75)
    parser.add_argument("--held-out", type=Path, help="the saved held-out set; it may appear while training runs")
    parser.add_argument("--no-compile", action="store_true")
    return parser.parse_args()


class Schedule:
    """Linear warm-up over the first steps, then 1, then a linear decay over the last `anneal` share of the time."""

    def __init__(self, options, recipe):
        self.started = time.time()
        self.options = options
        self.warm_up_steps = recipe["warm_up_steps"]
        self.anneal = recipe["anneal"]

    def end(self):
        file = self.options.end_at_file
        if file and file.exists():
            return float(file.read_text())
        return self.started + self.options.minutes * 60

    def factor(self, step):
        end = self.end()
        anneal_s = self.anneal * (end - self.started)
        left = (end - time.time()) / anneal_s
        return max(0.0, min(1.0, (step + 1) / self.warm_up_steps, left))

    def is_over(self):
        return time.time() >= self.end()


class Trainer:
    def __init__(self, options):
        self.options = options
        self.recipe = recipe = json.loads(options.recipe.read_text())
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        torch.manual_seed(recipe["seed"] + int(bool(options.init or options.resume)))
        torch.set_float32_matmul_precision("high")
        options.out.mkdir(parents=True, exist_ok=True)
        self.step = 0
        self.skipped = 0
        self.network = (load_network(options.init) if options.init else make_network(recipe["network"])).to(self.device)
        if options.start_from:
            self.note(taken_over=copy_fitting(options.start_from, self.network))
        self.average = {name: value.detach().clone() for name, value in self.network.state_dict().items()}
        muon_rate = recipe["muon_learning_rate"] if options.muon_learning_rate is None else options.muon_learning_rate
        self.optimizers = make_optimizers(self.network, recipe["learning_rate"], muon_rate, recipe.get("weight_decay", 0.01))
        self.base_rates = [optimizer.param_groups[0]["lr"] for optimizer in self.optimizers]
        if options.resume:
            self.load_state(torch.load(options.resume, map_location=self.device))
        lists = options.recipe.parent.parent / "data"
        sources = [source for name in (recipe["data"], *recipe.get("more_data", [])) for source in json.loads((lists / name).read_text())["sources"]]
        task = TASKS[recipe["task"]]
        self.pools = getattr(task, "POOLS", Pools)(options.packs, self.device, sources)
        self.note(packs=list(self.pools.load_new()), minutes=self.pools.describe())
        self.task = task(recipe, self.pools)
        self.task.network = self.network
        self.batch = options.batch or recipe["batch"]
        self.forward = self.network if options.no_compile else self.compiled()
        self.schedule = Schedule(options, recipe)
        self.held_out = None
        self.note(parameters=sum(p.numel() for p in self.network.parameters()))

    def compiled(self):
        if hasattr(torch._dynamo.config, "suppress_errors"):
            torch._dynamo.config.suppress_errors = True  # a slow run is worth more than none
        return torch.compile(self.network, dynamic=False)

    def note(self, **fields):
        line = json.dumps({"step": self.step, **fields})
        print(line, flush=True)
        with (self.options.out / "curve.jsonl").open("a") as file:
            file.write(line + "\n")

    def autocast(self):
        return torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda")

    def take_step(self):
        with torch.no_grad():
            mixture, truth = self.task.draw(self.batch)
        with self.autocast():
            estimate = self.forward(mixture)
        loss = self.task.loss(estimate, truth)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.recipe["clip"])
        factor = self.schedule.factor(self.step)
        for optimizer, rate in zip(self.optimizers, self.base_rates):
            optimizer.param_groups[0]["lr"] = rate * factor
        if step_if_finite(self.optimizers, norm):
            self.update_average()
        else:
            self.skipped += 1
        self.step += 1
        return loss.detach()

    @torch.no_grad()
    def update_average(self):
        decay = min(self.recipe["average"], (self.step + 1) / (self.step + 10))
        targets = list(self.average.values())
        values = [value.detach() for value in self.network.state_dict().values()]
        torch._foreach_mul_(targets, decay)
        torch._foreach_add_(targets, values, alpha=1 - decay)

    def evaluate(self):
        if self.held_out is None:
            if not (self.options.held_out and self.options.held_out.exists()):
                return {}
            self.held_out = self.task.load_held_out(self.options.held_out, self.device)
        raw = {name: value.detach().clone() for name, value in self.network.state_dict().items()}
        self.network.load_state_dict(self.average)
        self.network.eval()
        with self.autocast():
            result = self.task.score(self.network, self.held_out)
        self.network.load_state_dict(raw)
        self.network.train()
        return result

    def save(self):
        save_weights(self.options.out / "average.pt.new", self.network.config, self.average)
        (self.options.out / "average.pt.new").rename(self.options.out / "average.pt")

    def save_state(self):
        half = lambda value: value.bfloat16() if torch.is_tensor(value) and value.dim() > 0 else value
        optimizers = []
        for optimizer in self.optimizers:
            state = optimizer.state_dict()
            state["state"] = {key: {k: half(v) for k, v in entry.items()} for key, entry in state["state"].items()}
            optimizers.append(state)
        state = {"step": self.step, "network": self.network.state_dict(), "average": self.average, "optimizers": optimizers}
        torch.save(state, self.options.out / "state.pt")

    def load_state(self, state):
        self.step = state["step"]
        self.network.load_state_dict(state["network"])
        self.average = state["average"]
        for optimizer, saved in zip(self.optimizers, state["optimizers"]):
            optimizer.load_state_dict(saved)

    def run(self):
        started, window_started, window_steps, losses = time.time(), time.time(), 0, []
        next_evaluation = time.time() + 40
        while not self.schedule.is_over():
            losses.append(self.take_step())
            window_steps += 1
            if self.step % 100 == 0:
                for name in self.pools.load_new():
                    self.note(pack=name, minutes=self.pools.describe())
            if time.time() > next_evaluation:
                loss = float(torch.stack(losses).nanmean())
                rate = window_steps / (time.time() - window_started)
                factor = self.schedule.factor(self.step)
                self.note(seconds=round(time.time() - started), loss=round(loss, 4), steps_per_s=round(rate, 2), rate=round(factor, 3), skipped=self.skipped, **self.evaluate())
                self.save()
                window_started, window_steps, losses = time.time(), 0, []
                next_evaluation = time.time() + self.options.evaluate_every_s
        self.note(seconds=round(time.time() - started), final=True, **self.evaluate())
        self.save()
        self.save_state()
        (self.options.out / "done").touch()


if __name__ == "__main__":
    Trainer(parse_options()).run()

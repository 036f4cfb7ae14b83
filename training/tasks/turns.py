"""Training of the diarization network."""

import torch

from training.losses.speakers import turns_error, turns_loss
from training.mix.conversation import Conversation
from training.mix.voice_pool import VoicePools
from training.networks.voice_stft import HOP
from training.tasks.speakers import power_of


class Turns:
    POOLS = VoicePools

    def __init__(self, recipe, pools):
        self.pools, self.frames = pools, recipe["segment_hops"] * HOP
        self.mixer = Conversation(pools, self.frames, pools.folder / "rooms.npy", **recipe.get("mixer_options", {}))

    def draw(self, batch):
        sound, active = self.mixer.draw(batch)
        return power_of(sound), active

    def loss(self, logits, active):
        return turns_loss(logits[:, : active.shape[1]].float(), active)

    def load_held_out(self, path, device):
        """200 windows of held-out speakers."""
        pools = self.pools.of_split("held-out")
        state = torch.random.get_rng_state()
        torch.manual_seed(11)
        mixer = Conversation(pools, self.frames, self.pools.folder / "rooms.npy")
        made = [mixer.draw(20) for _ in range(10)]
        torch.random.set_rng_state(state)
        return torch.cat([power_of(sound) for sound, _ in made]), torch.cat([active for _, active in made])

    @torch.no_grad()
    def score(self, network, held_out):
        power, active = held_out
        logits = torch.cat([network(some)[:, : active.shape[1]].float() for some in power.split(40)])
        both = active.sum(-1) > 1
        return {"frame_error": round(turns_error(logits, active), 4), "overlap_share": round(float(both.float().mean()), 3)}

"""Training mixtures of electric and acoustic guitar, piano, keys, strings, wind and rest: what an `other` stem holds when vocals, drums and bass are taken out.

Songs are rendered from recorded notes into slots on the GPU, a few new ones every step; a mixture takes one slot's song, trades some of its
stems for those of other songs or of real recordings, and colours and levels each anew, so a slot serves several times and never sounds alike.
What the first separation leaves behind (drums, bass, voices at low level, with holes) belongs to the rest. A share of the mixtures has really
been through the first separation, in a song with drums, bass and voices.
"""

import numpy
import torch

from training.mix import augment
from training.mix.amplifier import amplify, wah
from training.mix.arrange import HELD_OUT, RATE_HZ, STEMS, TRAINING, arrange
from training.mix.separated import SeparatedSongs, separate, lay_out
from training.mix.note_bank import NoteBank
from training.mix.render_notes import render_notes
from training.mix.song_book import SongBook
from training.networks.htdemucs import Htdemucs

BACKING = ("drums", "bass", "vocals")
SLOTS = 384
FIRST_SLOTS = 48
TRADED = 0.3
ABSENT = (0.45, 0.45, 0.45, 0.35, 0.5, 0.5, 0.45)
REAL = {"guitar_electric": 0.3, "guitar_acoustic": 0.3, "piano": 0.3, "keys": 0.08, "strings": 0.25, "wind": 0.25, "rest": 0.25}
QUIETEST = 2e-3
LOAD_EVERY = 100
SEPARATED_SLOTS = 512
SEPARATE_EVERY = 8
SEPARATED_AT_ONCE = 20
BACKING_ABSENT = 0.25
UNACCOMPANIED = 0.15
DOUBLED = {"guitar_electric": 0.25, "guitar_acoustic": 0.25, "strings": 0.35, "wind": 0.3, "vocals": 0.3}
AMPLIFIED = 0.15
MONO = 0.2


class Songs:
    """Renders windows of songs: stems [7, 2, frames] each."""

    def __init__(self, folder, device, split, frames):
        self.bank = NoteBank(folder, device, split)
        self.book = SongBook(folder, split)
        self.manner = TRAINING if split == "train" else HELD_OUT
        self.frames = frames

    def render(self, count, rooms, dice):
        """float32 [count, 7, 2, frames]; a stem without notes is silent."""
        device = self.bank.device
        stem_of, drives, with_wah, tables, parts = [], [], [], [], 0
        for song in range(count):
            played, table = arrange(self.bank, self.book, self.frames / RATE_HZ, self.manner, dice)
            table["part"] += parts
            with_wah += [parts + number for number, part in enumerate(played) if part.has_wah]
            parts += len(played)
            tables.append(table)
            stem_of += [song * len(STEMS) + part.stem for part in played]
            drives += [part.drive_db for part in played]
        out = torch.zeros(count * len(STEMS), 2, self.frames, device=device)
        sound = render_notes(self.bank.samples, numpy.concatenate(tables), parts, self.frames)
        sound = augment.compress(amplify(wah(sound, with_wah), torch.tensor(drives, device=device)), augment.uniform(parts, -0.3, 0.6, device))
        sound = augment.colour(sound, rooms, 0.3, 2.5)
        sound = augment.set_level(augment.pan(sound, 0.7), -20 + 3 * torch.randn(parts, device=device))
        out.index_add_(0, torch.tensor(stem_of, device=device), sound)
        return out.reshape(count, len(STEMS), 2, self.frames)


def holes(count, frames, device):
    """Gains [count, 1, frames] that come and go several times a second, like leakage."""
    points = 10 ** (-1.2 * torch.rand(count, 1, max(4, frames // 6000), device=device) ** 2)
    return torch.nn.functional.interpolate(points, frames, mode="linear", align_corners=True)


def to_mono_sometimes(*groups):
    """Makes a fifth of the mixtures mono, in every group of their sounds [count, n, 2, frames]."""
    mono = augment.chance(len(groups[0]), MONO, groups[0].device)[:, None, None, None]
    return [torch.where(mono, sounds.mean(2, keepdim=True).expand_as(sounds), sounds) for sounds in groups]


class OtherSplitter:
    def __init__(self, pools, frames, rooms=256, slots=SLOTS, first_slots=FIRST_SLOTS, seed=1, separated_share=0.0):
        """`separated_share` of the mixtures go through htdemucs, whose weights are in the pools' folder `htdemucs`."""
        self.pools = pools
        self.separated_share = separated_share
        self.separated = SeparatedSongs(Htdemucs.load(pools.folder / "htdemucs", pools.device), SEPARATED_SLOTS) if separated_share else None
        self.frames = frames
        self.rooms = augment.make_rooms(rooms, pools.device)
        self.dice = numpy.random.RandomState(seed)
        self.songs = Songs(pools.folder, pools.device, "train", frames)
        self.slots = torch.zeros(slots, len(STEMS), 2, frames, dtype=torch.float16, device=pools.device)
        self.is_played = torch.zeros(slots, len(STEMS), dtype=torch.bool, device=pools.device)
        self.first_slots = min(first_slots, slots)
        self.rendered = 0
        self.drawn = 0

    def renew(self, count):
        """Renders `count` songs, replacing the oldest ones."""
        stems = self.songs.render(count, self.rooms, self.dice)
        at = (self.rendered + torch.arange(count, device=stems.device)) % len(self.slots)
        self.slots[at] = stems.half()
        self.is_played[at] = (augment.active_level(stems.flatten(0, 1)) > QUIETEST).reshape(count, len(STEMS))
        self.rendered += count

    def prepare(self, count):
        if self.drawn % LOAD_EVERY == 0:
            self.songs.bank.load_new()
        self.drawn += 1
        while self.rendered < self.first_slots:
            self.renew(min(8, self.first_slots - self.rendered))
        self.renew(max(1, count // 4))

    def take_songs(self, count):
        """One song per mixture, with some of its stems swapped for those of other songs."""
        device = self.pools.device
        filled = min(self.rendered, len(self.slots))
        own = torch.randint(filled, (count, 1), device=device).expand(-1, len(STEMS))
        other = torch.randint(filled, (count, len(STEMS)), device=device)
        stem = torch.arange(len(STEMS), device=device)
        is_traded = augment.chance((count, len(STEMS)), TRADED, device) & self.is_played[other, stem]
        return self.slots[torch.where(is_traded, other, own), stem].float()

    def recorded(self, role, count):
        device = self.pools.device
        sound, _ = self.pools[f"{role}.train"].draw(count, self.frames, 1 + 0.08 * (2 * torch.rand(count, device=device) - 1))
        if role == "guitar_electric":
            sound = amplify(sound, augment.uniform(count, 3, 36, device) * augment.chance(count, AMPLIFIED, device))
        return augment.set_level(sound, torch.full((count,), -20.0, device=device))

    def real(self, role, count):
        """Recordings; some with two players at once, as is common for guitars, violins, horns and voices."""
        device = self.pools.device
        sound = self.recorded(role, count)
        if role in DOUBLED:
            other = augment.pan(self.recorded(role, count), 0.7) * 10 ** (augment.uniform(count, -10, 0, device) / 20)[:, None, None]
            is_doubled = augment.chance(count, DOUBLED[role], device)[:, None, None]
            sound = torch.where(is_doubled, augment.pan(sound, 0.7) + other, sound)
        return augment.set_level(sound, torch.full((count,), -20.0, device=device))

    def leakage(self, count):
        device = self.pools.device
        total = torch.zeros(count, 2, self.frames, device=device)
        for role in BACKING:
            if f"{role}.train" in self.pools:
                sound = augment.colour(self.real(role, count), self.rooms, 0.2, 6.0) * holes(count, self.frames, device)
                sound = augment.set_level(sound, augment.uniform(count, -55, -30, device))
                total = total + sound * augment.chance(count, 0.5, device)[:, None, None]
        return total

    def backing(self, count):
        """The rest of a song as mixed, [count, 3, 2, frames]: loud drums, bass and voices; some songs lack some of them, a few all."""
        device = self.pools.device
        parts = []
        for role in BACKING:
            sound = augment.colour(augment.pan(self.real(role, count), 0.1), self.rooms, 0.3, 3.0)
            sound = augment.set_level(sound, -19 + 4 * torch.randn(count, device=device))
            parts.append(sound * ~augment.chance(count, BACKING_ABSENT, device)[:, None, None])
        return torch.stack(parts, 1) * ~augment.chance(count, UNACCOMPANIED, device)[:, None, None, None]

    def draw(self, count):
        """Stems, whose sum is the mixture, and the same as played, in the layout of `lay_out`."""
        self.prepare(count)
        separated = int(round(self.separated_share * count))
        if separated and (self.drawn - 1) % SEPARATE_EVERY == 0:
            self.separated.add(*to_mono_sometimes(self.mix(SEPARATED_AT_ONCE), self.backing(SEPARATED_AT_ONCE)))
        stems = self.mix(count - separated)
        stems[:, STEMS.index("rest")] += self.leakage(len(stems))
        (stems,) = to_mono_sometimes(stems)
        drawn = lay_out(stems, stems)
        return torch.cat([drawn, self.separated.draw(separated)]) if separated else drawn

    @torch.no_grad()
    def separate_held_out(self, stems, seed=1):
        """`draw` for held-out songs, with the drums, basses and voices of training: reproducible as long as these stay the same."""
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            pieces = stems[..., : self.frames].split(SEPARATED_AT_ONCE)
            return torch.cat([separate(self.separated.network, piece, self.backing(len(piece))) for piece in pieces])

    def mix(self, count):
        """Stems of songs with new equalizers and levels, some of them left out."""
        device = self.pools.device
        stems = self.take_songs(count)
        for role, probability in REAL.items():
            if f"{role}.train" in self.pools:
                at = STEMS.index(role)
                wanted = augment.chance(count, probability, device)[:, None, None]
                stems[:, at] = torch.where(wanted, self.real(role, count), stems[:, at])
        flat = stems.reshape(-1, 2, self.frames)
        is_there = augment.active_level(flat) > QUIETEST
        whole = augment.mastering_curves(count, device)
        flat = augment.colour(augment.pan(flat, 0.2), self.rooms, 0.15, 3.0, lambda bins: whole(bins).repeat_interleave(len(STEMS), 0))
        flat = augment.set_level(flat, -20 + 4.5 * torch.randn(len(flat), device=device))
        return flat.reshape(stems.shape) * self.present(is_there.reshape(count, len(STEMS)))

    def present(self, is_there):
        """[count, 7] → [count, 7, 1, 1]: which of the available stems a mixture has; at least one."""
        wanted = torch.rand(is_there.shape, device=is_there.device) >= torch.tensor(ABSENT, device=is_there.device)
        always = (torch.rand(is_there.shape, device=is_there.device) * is_there).argmax(1, keepdim=True)
        wanted = wanted | (torch.arange(len(STEMS), device=is_there.device) == always)
        return (wanted & is_there)[..., None, None]

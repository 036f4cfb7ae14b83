/** A checkpoint that people use, as its publisher has it. */
export type KnownNetwork = {
  name: string;
  file: string;
  architecture: string;
  stems: string;
  /** M: MVSEP Multisong SDR; V: the trainer's validation; U: MUSDB18-HQ test; S: median over MUSDB18. In dB. */
  score: string;
  /** As its publisher states it. */
  licence: string;
  publisher: string;
  /** Weights that were, by all evidence, taken from a commercial program: they have no `download`. */
  isFromCommercialProgram?: true;
  /** Absent as well where no address of the publisher is known, and for bags. */
  download?: { checkpoint: string; configuration?: string };
};

const HUB = "https://huggingface.co";
const TRAINING = "https://github.com/ZFTurbo/Music-Source-Separation-Training/releases";
const UVR = "https://github.com/TRvlvr/model_repo/releases";
const UVR_FILES = `${UVR}/download/all_public_uvr_models`;
const DEMUCS = "https://dl.fbaipublicfiles.com/demucs/hybrid_transformer";
const NONE = "none stated";
const OF_DEMUCS = "code MIT; of the weights its sources disagree (docs/models.md)";
const COMMERCIAL = "unknown; by all evidence taken from a commercial program";

type Row = Omit<KnownNetwork, "publisher" | "download" | "isFromCommercialProgram">;

const onHub = (row: Row, repository: string, configuration?: string): KnownNetwork => ({
  ...row,
  publisher: `${HUB}/${repository}`,
  download: {
    checkpoint: `${HUB}/${repository}/resolve/main/${row.file}`,
    ...(configuration && { configuration: `${HUB}/${repository}/resolve/main/${configuration}` }),
  },
});

const inRelease = (row: Row, tag: string, configuration?: string): KnownNetwork => ({
  ...row,
  publisher: `${TRAINING}/tag/${tag}`,
  download: {
    checkpoint: `${TRAINING}/download/${tag}/${row.file}`,
    ...(configuration && { configuration: `${TRAINING}/download/${tag}/${configuration}` }),
  },
});

const ofUvr = (row: Row): KnownNetwork => ({
  ...row,
  publisher: UVR,
  download: { checkpoint: `${UVR_FILES}/${row.file}` },
});

const ofDemucs = (row: Row): KnownNetwork => ({
  ...row,
  publisher: "https://github.com/facebookresearch/demucs",
  download: { checkpoint: `${DEMUCS}/${row.file}` },
});

/** Read from the publishers' pages by others; `add` tries the address and says if it is gone. */
export const KNOWN_NETWORKS: readonly KnownNetwork[] = [
  ofUvr({
    ...{ name: "bs-roformer-317", file: "model_bs_roformer_ep_317_sdr_12.9755.ckpt", licence: NONE },
    ...{ architecture: "BS-RoFormer 512/12", stems: "vocals", score: "10.87 M" },
  }),
  onHub(
    {
      ...{ name: "mel-roformer-kim", file: "MelBandRoformer.ckpt", licence: "MIT" },
      ...{ architecture: "Mel-Band RoFormer 384/6", stems: "vocals", score: "10.98 M" },
    },
    "KimberleyJSN/melbandroformer",
  ),
  onHub(
    {
      ...{ name: "bs-roformer-resurrection", file: "BS-Roformer-Resurrection.ckpt", licence: NONE },
      ...{ architecture: "BS-RoFormer 256/12", stems: "vocals", score: "11.34 M" },
    },
    "pcunwa/BS-Roformer-Resurrection",
    "BS-Roformer-Resurrection-Config.yaml",
  ),
  onHub(
    {
      ...{ name: "bs-roformer-resurrection-inst", file: "BS-Roformer-Resurrection-Inst.ckpt", licence: NONE },
      ...{ architecture: "BS-RoFormer 256/12", stems: "instrumental", score: "17.25 M" },
    },
    "pcunwa/BS-Roformer-Resurrection",
    "BS-Roformer-Resurrection-Inst-Config.yaml",
  ),
  onHub(
    {
      ...{ name: "mel-roformer-big-beta6x", file: "big_beta6x.ckpt", licence: NONE },
      ...{ architecture: "Mel-Band RoFormer 512/12", stems: "vocals", score: "11.12 M" },
    },
    "pcunwa/Mel-Band-Roformer-big",
    "big_beta6x.yaml",
  ),
  onHub(
    {
      ...{ name: "mel-roformer-inst-v1e-plus", file: "inst_v1e_plus.ckpt", licence: NONE },
      ...{ architecture: "Mel-Band RoFormer 384/6", stems: "instrumental", score: "16.65 M" },
    },
    "pcunwa/Mel-Band-Roformer-Inst",
    "config_melbandroformer_inst.yaml",
  ),
  onHub(
    {
      ...{ name: "mel-roformer-deux", file: "becruily_deux.ckpt", licence: "CC-BY-NC-4.0" },
      ...{ architecture: "Mel-Band RoFormer 256/12", stems: "vocals, instrumental", score: "11.37, 17.55 M" },
    },
    "becruily/mel-band-roformer-deux",
    "config_deux_becruily.yaml",
  ),
  onHub(
    {
      ...{ name: "bs-roformer-anvuew", file: "bs_roformer_anvuew_sdr_12.45.ckpt", licence: "GPL-3.0" },
      ...{ architecture: "BS-RoFormer 256/12", stems: "vocals", score: "12.45 V" },
    },
    "anvuew/BS-RoFormer",
    "config.yaml",
  ),
  onHub(
    {
      ...{ name: "mel-roformer-karaoke", file: "mel_band_roformer_karaoke_becruily.ckpt", licence: NONE },
      ...{ architecture: "Mel-Band RoFormer 384/6", stems: "lead, rest", score: "–" },
    },
    "becruily/mel-band-roformer-karaoke",
    "config_karaoke_becruily.yaml",
  ),
  onHub(
    {
      ...{ name: "bs-roformer-karaoke", file: "karaoke_bs_roformer_anvuew.ckpt", licence: NONE },
      ...{ architecture: "BS-RoFormer 256/12", stems: "lead", score: "–" },
    },
    "anvuew/karaoke_bs_roformer",
    "karaoke_bs_roformer_anvuew.yaml",
  ),
  onHub(
    {
      ...{ name: "mel-roformer-guitar", file: "becruily_guitar.ckpt", licence: NONE },
      ...{ architecture: "Mel-Band RoFormer 256/4", stems: "guitar", score: "5.6 M" },
    },
    "becruily/mel-band-roformer-guitar",
    "config_guitar_becruily.yaml",
  ),
  {
    ...{ name: "bs-roformer-sw", file: "BS-Rofo-SW-Fixed.ckpt", licence: COMMERCIAL },
    ...{ architecture: "BS-RoFormer 256/12", stems: "vocals, drums, bass, guitar, piano, other" },
    ...{ score: "11.3 vocals, 9.05 guitar, 7.8 piano M", publisher: "mirrors of an account that is gone" },
    isFromCommercialProgram: true,
  },
  {
    ...{ name: "bs-roformer-sw-fp16", file: "roformer-fp16.pt", licence: COMMERCIAL },
    ...{ architecture: "BS-RoFormer 256/12", stems: "vocals, drums, bass, guitar, piano, other" },
    ...{ score: "as bs-roformer-sw", publisher: `${HUB}/undef13/splifft` },
    isFromCommercialProgram: true,
  },
  inRelease(
    {
      ...{ name: "bs-roformer-four", file: "model_bs_roformer_ep_17_sdr_9.6568.ckpt", licence: NONE },
      ...{ architecture: "BS-RoFormer 384/8", stems: "vocals, drums, bass, other", score: "9.65 U, 9.38 M" },
    },
    "v1.0.12",
    "config_bs_roformer_384_8_2_485100.yaml",
  ),
  inRelease(
    {
      ...{
        name: "mel-roformer-denoise",
        file: "denoise_mel_band_roformer_aufr33_sdr_27.9959.ckpt",
        licence: NONE,
      },
      ...{ architecture: "Mel-Band RoFormer 384/6", stems: "dry", score: "28.0 V" },
    },
    "v.1.0.7",
    "model_mel_band_roformer_denoise.yaml",
  ),
  inRelease(
    {
      ...{
        name: "mel-roformer-crowd",
        file: "mel_band_roformer_crowd_aufr33_viperx_sdr_8.7144.ckpt",
        licence: NONE,
      },
      ...{ architecture: "Mel-Band RoFormer 384/6", stems: "crowd", score: "5.99 M" },
    },
    "v.1.0.4",
    "model_mel_band_roformer_crowd.yaml",
  ),
  inRelease(
    {
      ...{ name: "mdx23c-vocals", file: "model_vocals_mdx23c_sdr_10.17.ckpt", licence: NONE },
      ...{ architecture: "MDX23C", stems: "vocals, other", score: "10.17 M" },
    },
    "v1.0.0",
    "config_vocals_mdx23c.yaml",
  ),
  inRelease(
    {
      ...{ name: "scnet-xl", file: "model_scnet_ep_54_sdr_9.8051.ckpt", licence: NONE },
      ...{ architecture: "SCNet XL", stems: "vocals, drums, bass, other", score: "9.80 U, 9.72 M" },
    },
    "v1.0.13",
    "config_musdb18_scnet_xl.yaml",
  ),
  ofUvr({
    ...{ name: "mdx23c-instvoc-hq", file: "MDX23C-8KFFT-InstVoc_HQ.ckpt", licence: NONE },
    ...{ architecture: "MDX23C", stems: "vocals, instrumental", score: "10.56 S" },
  }),
  ofUvr({
    ...{ name: "mdx-net-inst-hq-5", file: "UVR-MDX-NET-Inst_HQ_5.onnx", licence: NONE },
    ...{ architecture: "MDX-Net", stems: "instrumental", score: "15.3 S" },
  }),
  ofUvr({
    ...{ name: "mdx-net-kim-vocal-2", file: "Kim_Vocal_2.onnx", licence: NONE },
    ...{ architecture: "MDX-Net", stems: "vocals", score: "10.2 S" },
  }),
  ofDemucs({
    ...{ name: "htdemucs", file: "955717e8-8726e21a.th", licence: OF_DEMUCS },
    ...{ architecture: "Demucs v4", stems: "drums, bass, other, vocals", score: "9.16 M" },
  }),
  ofDemucs({
    ...{ name: "htdemucs-6s", file: "5c90dfd2-34c22ccb.th", licence: OF_DEMUCS },
    ...{
      architecture: "Demucs v4",
      stems: "drums, bass, other, vocals, guitar, piano",
      score: "8.05 vocals M",
    },
  }),
  ofDemucs({
    ...{ name: "hdemucs-mmi", file: "75fc33f5-1941ce65.th", licence: OF_DEMUCS },
    ...{ architecture: "Demucs v3", stems: "drums, bass, other, vocals", score: "8.88 M" },
  }),
  inRelease(
    {
      ...{ name: "drumsep", file: "model_drumsep.th", licence: "MIT for the repository" },
      ...{ architecture: "Demucs v3", stems: "kick, snare, cymbals, toms", score: "10.5 kick" },
    },
    "v1.0.5",
  ),
  inRelease(
    {
      ...{ name: "scnet-xl-ihf", file: "model_scnet_ep_36_sdr_10.0891.ckpt", licence: NONE },
      ...{ architecture: "SCNet XL IHF", stems: "vocals, drums, bass, other", score: "10.08 U, 9.92 M" },
    },
    "v1.0.15",
    "config_musdb18_scnet_xl_more_wide_v5.yaml",
  ),
  inRelease(
    {
      ...{ name: "scnet-masked", file: "model_scnet_masked_ep_111_sdr_9.8286.ckpt", licence: NONE },
      ...{ architecture: "SCNet masked", stems: "vocals, drums, bass, other", score: "9.82 U, 9.67 M" },
    },
    "v1.0.17",
    "config_musdb18_scnet_xl_ihf.yaml",
  ),
  ofUvr({
    ...{ name: "bs-roformer-937", file: "model_bs_roformer_ep_937_sdr_10.5309.ckpt", licence: NONE },
    ...{ architecture: "BS-RoFormer 384/12", stems: "no drum-bass", score: "6.85 M" },
  }),
  ofUvr({
    ...{ name: "mdx-net-voc-ft", file: "UVR-MDX-NET-Voc_FT.onnx", licence: NONE },
    ...{ architecture: "MDX-Net", stems: "vocals", score: "–" },
  }),
  {
    ...{ name: "bs-roformer-mega-53", file: "mvsep_mega_model_bs_roformer_53_stems_v1.ckpt", licence: NONE },
    ...{
      architecture: "BS-RoFormer 256/12",
      stems: "53",
      score: "8.25 guitar M",
      publisher: `${TRAINING}/tag/v1.0.21`,
    },
  },
  {
    ...{
      name: "mel-roformer-karaoke-aufr33",
      file: "mel_band_roformer_karaoke_aufr33_viperx_sdr_10.1956.ckpt",
    },
    ...{ architecture: "Mel-Band RoFormer 384/6", stems: "karaoke", score: "10.20 V", licence: NONE },
    publisher: `mirror ${HUB}/Politrees/UVR_resources`,
  },
  {
    ...{ name: "mel-roformer-dereverb", file: "dereverb_mel_band_roformer_anvuew_sdr_19.1729.ckpt" },
    ...{ architecture: "Mel-Band RoFormer 384/6", stems: "noreverb", score: "19.2 V", licence: "GPL-3.0" },
    publisher: `${HUB}/anvuew`,
  },
  {
    ...{ name: "mdx23c-drumsep", file: "drumsep_5stems_mdx23c_jarredou.ckpt", licence: NONE },
    ...{ architecture: "MDX23C", stems: "kick, snare, toms, hh, cymbals", score: "16.7 kick" },
    publisher: "https://github.com/jarredou/models/releases",
  },
  {
    ...{ name: "htdemucs-ft", file: "htdemucs_ft.yaml and its four .th", licence: OF_DEMUCS },
    ...{ architecture: "Demucs v4, a bag of four", stems: "drums, bass, other, vocals" },
    ...{ score: "11.1, 12.0, 5.9, 8.4 M", publisher: "https://github.com/facebookresearch/demucs" },
  },
];

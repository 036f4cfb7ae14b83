/** FFmpeg's demuxer names. Playlists and other formats that refer to further files are deliberately excluded. */
export const ACCEPTED_DEMUXERS = [
  ...["wav", "w64", "aiff", "au", "caf", "flac", "wv", "mp3", "aac", "ac3", "eac3", "amr", "ogg"],
  ...["mov", "matroska", "asf", "avi", "flv", "mpeg", "mpegts"],
] as const;

/** Audio only: otherwise FFmpeg would open the video decoder, its largest attack surface, just to examine the stream. */
export const ACCEPTED_DECODERS = [
  ...[
    "aac",
    "aac_latm",
    "ac3",
    "alac",
    "amrnb",
    "amrwb",
    "dca",
    "eac3",
    "flac",
    "mp2float",
    "mp2",
    "mp3float",
    "mp3",
    "opus",
    "libopus",
  ],
  ...[
    "truehd",
    "vorbis",
    "libvorbis",
    "wavpack",
    "wmav1",
    "wmav2",
    "wmapro",
    "wmalossless",
    "wmavoice",
    "nellymoser",
    "speex",
    "adpcm_ima_qt",
    "adpcm_ima_wav",
    "adpcm_ms",
    "adpcm_swf",
    "pcm_alaw",
    "pcm_mulaw",
    "pcm_bluray",
    "pcm_dvd",
  ],
  ...["pcm_f32be", "pcm_f32le", "pcm_f64be", "pcm_f64le", "pcm_s8", "pcm_u8"],
  ...["pcm_s16be", "pcm_s16le", "pcm_s24be", "pcm_s24le", "pcm_s32be", "pcm_s32le"],
] as const;

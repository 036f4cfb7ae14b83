/** An unused user id. */
export const PLAIN_USER = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"];

/** In a user namespace that can't create others, without the privileges to do so. */
export const WITHOUT_NAMESPACES = [
  ...["unshare", "--user", "--map-current-user", "--keep-caps", "sh", "-c"],
  'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --ambient-caps=-all --inh-caps=-all --bounding-set=-all "$@"',
  "sh",
];

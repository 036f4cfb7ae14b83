# Sourced by npm's scripts: puts the project's own Node first in the PATH.
# npm before 11.10 does not create node_modules/.bin/node: the package for the other architecture, which is not installed, removes the link.
for dir in "$PWD"/node_modules/node-linux-*/bin; do
  if [ -x "$dir/node" ]; then PATH="$dir:$PATH"; fi
done
export PATH

# Sourced by npm's scripts: the Node that the project brings comes first in the PATH.
# npm before 11.10 leaves node_modules/.bin/node out: the package for the other processor, which is not installed, takes the link with it.
for dir in "$PWD"/node_modules/node-linux-*/bin; do
  if [ -x "$dir/node" ]; then PATH="$dir:$PATH"; fi
done
export PATH

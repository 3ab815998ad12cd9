#!/bin/sh
# Builds target/nyala-VERSION/ and target/nyala-VERSION-linux-x64.tar.gz from the results of the package phase in target/.
#
# usage: assemble.sh VERSION MODULE_DIRECTORY JAVA_HOME
set -eu

version=$1
module=$2
java_home=$3
project=$module/..
target=$module/target
name=nyala-$version
home=$target/$name

# The modules of the program, those for diagnosis (jcmd, JFR, JMX, agents), and java.transaction.xa, which Berkeley DB links with.
modules=java.base,java.instrument,java.logging,java.management,java.management.rmi,java.naming,java.security.jgss,java.security.sasl,java.transaction.xa,java.xml,jdk.httpserver,jdk.jcmd,jdk.jfr,jdk.management,jdk.management.agent,jdk.management.jfr,jdk.security.auth,jdk.security.jgss,jdk.unsupported

rm -rf "$home" "$target/$name-linux-x64.tar.gz"
mkdir -p "$home/bin" "$home/conf/schema" "$home/docs" "$home/lib/native"

copy_files() {
  cp "$module/src/packaging/bin/nyala" "$home/bin/nyala"
  chmod 755 "$home/bin/nyala"
  ln -s nyala "$home/bin/nyala-loadtest"
  cp -R "$module/src/packaging/conf/." "$home/conf/"
  cp "$project/server-model/src/main/resources/org/nyala/core/schema/load/"*.schema "$home/conf/schema/"
  cp "$project/LICENSE" "$project/CHANGELOG.md" "$project/CONTRIBUTING.md" "$project/ARCHITECTURE.md" "$home/"
  # Adapts links to the place of the documents in the tarball.
  sed -E 's#src-docs/([a-z-]+)[.]adoc#docs/\1.html#g; s#src-docs#docs#g' "$project/README.md" >"$home/README.md"
  copy_manual
  cp "$target/nyala-distribution-$version.jar" "$home/lib/nyala.jar"
  cp "$target/libraries/"*.jar "$home/lib/"
  mkdir -p "$home/lib/loadtest"
  cp "$target/load-tester-libraries/"*.jar "$home/lib/loadtest/"
}

# The pages for the tarball, and all of them as one page for a web site; none if the build skips them.
copy_manual() {
  rm -rf "$target/site"
  cp -R "$project/src-docs/results" "$project/src-docs/decisions" "$home/docs/"
  if [ ! -f "$target/manual/site.html" ]; then
    return
  fi
  mkdir -p "$target/site"
  cp -R "$home/docs/." "$target/site/"
  cp "$target/manual/"*.html "$home/docs/"
  mv "$home/docs/site.html" "$target/site/index.html"
}

# Unpacked here, they need no unpacking at run time, and no folder that is both writable and executable.
unpack_native_libraries() {
  unpacked=$target/native
  rm -rf "$unpacked"
  mkdir -p "$unpacked"
  for jar in "$home"/lib/native-*.jar "$home"/lib/jffi-*-native.jar "$home"/lib/netty-transport-native-*-linux-x86_64.jar \
    "$home"/lib/netty-tcnative-boringssl-static-*-linux-x86_64.jar "$home"/lib/zstd-jni-*-linux_amd64.jar; do
    (cd "$unpacked" && "$java_home/bin/jar" xf "$jar")
  done
  cp "$unpacked/org/lmdbjava/native/x86_64-linux-gnu.so" "$home/lib/native/liblmdb.so"
  cp "$unpacked/jni/x86_64-Linux/"libjffi-*.so "$home/lib/native/"
  cp "$unpacked/META-INF/native/"*.so "$home/lib/native/"
  cp "$unpacked/linux/amd64/"libzstd-jni-*.so "$home/lib/native/libzstd-jni.so"
}

# Opens packages that a jar seals: the JVM takes their classes from its archive and from the jar, and finds that a violation.
unseal() {
  mkdir -p "$target/training"
  echo "Sealed: false" >"$target/training/unsealed.mf"
  for jar in "$home"/lib/unboundid-ldapsdk-*.jar; do
    "$java_home/bin/jar" --update --file "$jar" --date 2020-01-01T00:00:00Z --manifest "$target/training/unsealed.mf" 2>/dev/null
  done
}

link_runtime() {
  "$java_home/bin/jlink" --add-modules "$modules" --strip-debug --no-header-files --no-man-pages \
    --output "$home/runtime"
}

# The commented file of keys, with the fragments of the extensions.
write_configuration() {
  "$home/bin/nyala" configuration --project "$project" --output "$home/conf/nyala.conf"
}

# Runs the program once along its own paths; the JVM records the classes that it has loaded and linked, and hot code.
train() {
  mkdir -p "$target/training"
  NYALA_JAVA_OPTS="-XX:AOTCacheOutput=$home/lib/nyala.aot -Xlog:aot=error -Xlog:cds=error" \
    "$home/bin/nyala" train --entries 2000 >"$target/training/log" 2>&1 || {
    cat "$target/training/log" >&2
    exit 1
  }
  [ -s "$home/lib/nyala.aot" ] || {
    cat "$target/training/log" >&2
    echo "assemble: the training run has left no $home/lib/nyala.aot" >&2
    exit 1
  }
}

# Packs the folder. Its halves are compressed at once: a file of gzip may have several members.
pack() {
  tarball=$target/$name-linux-x64.tar.gz
  tar -C "$target" --owner=0 --group=0 --numeric-owner -cf "$target/unpacked.tar" "$name"
  half=$(($(wc -c <"$target/unpacked.tar") / 2))
  head -c "$half" "$target/unpacked.tar" | gzip -n >"$target/first.gz" &
  first=$!
  tail -c "+$((half + 1))" "$target/unpacked.tar" | gzip -n >"$target/second.gz"
  wait "$first"
  cat "$target/first.gz" "$target/second.gz" >"$tarball"
  rm "$target/unpacked.tar" "$target/first.gz" "$target/second.gz"
}

link_runtime &
linking=$!
copy_files
unpack_native_libraries
unseal
wait "$linking"
write_configuration
train
pack

package org.nyala.lmdb.env;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The file behind a name: its device, and its number there.
 *
 * <p>Immutable.
 */
record FileIdentity(Object device, Object number) {

  /** Returns the identity of the file that a path leads to now. */
  static FileIdentity of(Path file) throws IOException {
    Map<String, Object> found = Files.readAttributes(file, "unix:dev,ino");
    return new FileIdentity(found.getOrDefault("dev", 0), found.getOrDefault("ino", 0));
  }
}

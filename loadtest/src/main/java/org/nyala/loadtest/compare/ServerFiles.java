package org.nyala.loadtest.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Files of the servers under comparison. Stateless. */
final class ServerFiles {
  private ServerFiles() {}

  /** The bytes that a file, which may be sparse, takes on disk; -1 if not known. */
  static long bytesOnDisk(Path file) throws IOException {
    Process du = new ProcessBuilder("du", "-k", file.toString()).start();
    try (var output = du.inputReader()) {
      String line = output.readLine();
      return line == null ? -1 : Long.parseLong(line.split("\\s", 2)[0]) * 1024;
    }
  }

  /** Removes a directory and its content. */
  static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}

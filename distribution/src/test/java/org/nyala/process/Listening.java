package org.nyala.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The ports that a process listens on. */
public final class Listening {
  private Listening() {}

  /**
   * Returns the listening addresses of a process from /proc: addresses in hexadecimal, and ports.
   */
  public static Set<String> of(long pid) throws IOException {
    Set<String> inodes = new TreeSet<>();
    try (var files = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      for (Path file : files.toList()) {
        inodes.add(target(file).replaceAll("\\D", ""));
      }
    }
    Set<String> found = new TreeSet<>();
    for (String table : List.of("tcp", "tcp6")) {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/net/" + table))) {
        String[] fields = line.strip().split("\\s+", -1);
        if (fields[3].equals("0A") && inodes.contains(fields[9])) {
          found.add(fields[1].replace("0000000000000000FFFF0000", ""));
        }
      }
    }
    return found;
  }

  /** Returns the target of a file descriptor; nothing if it has just been closed. */
  private static String target(Path file) {
    try {
      return Files.readSymbolicLink(file).toString();
    } catch (IOException e) {
      return "";
    }
  }
}

package org.nyala.loadtest.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.compare.NyalaSetup;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.ServerUrl;

/**
 * A server to scan, written {@code NAME=URL[,pid=PID][,data=DIR]}.
 *
 * <p>Immutable.
 *
 * @param name its name in the results
 * @param url its URL
 * @param pid its process; 0 if that is not known
 * @param data its data folder; null if that is not known
 */
record ScannedServer(String name, String url, long pid, @Nullable Path data) {
  private static final String FORM = "NAME=URL[,pid=PID][,data=DIR]";
  private static final long UNKNOWN = -1;
  private static final long LONGEST_SECONDS = 300;

  /** Reads a server; throws {@link IllegalArgumentException} if it is not written so. */
  static ScannedServer parse(String text) {
    String[] parts = text.split(",", -1);
    int equals = parts[0].indexOf('=');
    LoadSettings.require(equals > 0, "a server", FORM, text);
    String url = parts[0].substring(equals + 1);
    ServerUrl.address(url);
    long pid = 0;
    Path data = null;
    for (int i = 1; i < parts.length; i++) {
      if (parts[i].startsWith("pid=")) {
        pid = number(parts[i].substring("pid=".length()), text);
      } else if (parts[i].startsWith("data=")) {
        data = Path.of(parts[i].substring("data=".length()));
      } else {
        LoadSettings.require(false, "a server", FORM, text);
      }
    }
    return new ScannedServer(parts[0].substring(0, equals), url, pid, data);
  }

  private static long number(String digits, String text) {
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "the pid of a server must be a number, not " + digits + " in " + text, e);
    }
  }

  /** Returns the size of the data folder in bytes; -1 if it is not known. */
  long dataBytes() {
    try {
      long sum = 0;
      for (Path file : dataFiles()) {
        sum += Files.size(file);
      }
      return data == null ? UNKNOWN : sum;
    } catch (IOException | UncheckedIOException e) {
      return UNKNOWN;
    }
  }

  private List<Path> dataFiles() throws IOException {
    Path folder = data;
    if (folder == null) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  /**
   * Has the operating system forget the contents of the data files, but for pages that a process
   * has mapped and read.
   *
   * @throws LoadTestException if a file cannot be read, or {@code dd} of GNU is missing
   */
  void dropPages() throws IOException, InterruptedException, LoadTestException {
    for (Path file : dataFiles()) {
      if (output("dd", "if=" + file, "iflag=nocache", "count=0", "status=none") == null) {
        throw new LoadTestException("dd cannot drop the pages of " + file);
      }
    }
  }

  /**
   * Returns the heap in use, in bytes, if the server is a JVM of this user; else -1.
   *
   * @param afterCollection true to collect first, so that only what lives is counted
   */
  long heapBytes(boolean afterCollection) throws InterruptedException {
    if (pid == 0) {
      return UNKNOWN;
    }
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    try {
      if (afterCollection) {
        output(jcmd, Long.toString(pid), "GC.run");
      }
      String info = output(jcmd, Long.toString(pid), "GC.heap_info");
      return info == null ? UNKNOWN : NyalaSetup.heapUsed(info);
    } catch (IOException e) {
      return UNKNOWN;
    }
  }

  /** Returns the output of a command; null if it fails. */
  private static @Nullable String output(String... command)
      throws IOException, InterruptedException {
    Path log = Files.createTempFile("nyala-scans", ".log");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      boolean hasEnded = process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS);
      process.destroy();
      return hasEnded && process.exitValue() == 0 ? Files.readString(log) : null;
    } finally {
      Files.delete(log);
    }
  }
}

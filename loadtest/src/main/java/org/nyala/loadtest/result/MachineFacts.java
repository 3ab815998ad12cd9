package org.nyala.loadtest.result;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** The facts about the machine that a reader of its figures has to know. */
public final class MachineFacts {
  private MachineFacts() {}

  /** The current facts by name, in the order in which they are shown. */
  public static Map<String, String> now() throws IOException {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("time", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
    facts.put("processor", line("/proc/cpuinfo", "model name"));
    facts.put("memory", line("/proc/meminfo", "MemTotal"));
    facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put("java", Runtime.version() + ", " + System.getProperty("java.vm.name"));
    facts.put("nyala-loadtest", version());
    facts.put("load average before", loadAverage());
    return facts;
  }

  /** The version of this program; "development" if it does not run from its archive. */
  static String version() {
    String version = MachineFacts.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  private static String loadAverage() throws IOException {
    Path file = Path.of("/proc/loadavg");
    return Files.isReadable(file) ? Files.readString(file).trim() : "?";
  }

  /** The value of the first line of a file that begins with a name. */
  private static String line(String file, String name) throws IOException {
    Path path = Path.of(file);
    if (!Files.isReadable(path)) {
      return "?";
    }
    try (Stream<String> lines = Files.lines(path)) {
      return lines
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(':') + 1).trim())
          .findFirst()
          .orElse("?");
    }
  }
}

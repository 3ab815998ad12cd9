package org.nyala.loadtest.compare;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.LoadTestException;

/** An unpacked Nyala distribution. Confined to the thread that compares. */
public final class NyalaSetup {
  private static final Pattern HEAP_USED =
      Pattern.compile(
          "(?:heap|PSYoungGen|ParOldGen|DefNew|Tenured)\\s+total (?:reserved \\d+K, committed"
              + " )?\\d+K, used (\\d+)K");

  /** The key of a distribution that would replace the fast hashes of the sample people. */
  private static final String UPGRADES = "upgradeAtBind";

  private final Path directory;
  private final String launcher;
  private final String jcmd;
  private final List<String> settings;
  private final boolean replacesHashes;

  /**
   * Names a distribution.
   *
   * @param home the directory that it is unpacked in
   * @param directory the directory of its data and logs
   * @param upgradesHashes true if logins replace stored hashes, as is the default
   */
  NyalaSetup(Path home, Path directory, boolean upgradesHashes) throws IOException {
    this(home, directory, upgradesHashes, List.of());
  }

  /**
   * Names a distribution with settings of its own.
   *
   * @param further lines of the configuration in addition to those of every comparison
   */
  NyalaSetup(Path home, Path directory, boolean upgradesHashes, List<String> further)
      throws IOException {
    boolean isOffered = Files.readString(home.resolve("conf/nyala.conf")).contains(UPGRADES);
    this.replacesHashes = isOffered && upgradesHashes;
    this.settings = settings(isOffered && !upgradesHashes, further);
    this.launcher = home.resolve("bin").resolve("nyala").toString();
    this.jcmd = home.resolve("runtime").resolve("bin").resolve("jcmd").toString();
    this.directory = directory;
  }

  void sample(int people, Path ldif) throws IOException, InterruptedException, LoadTestException {
    ServerProcess.run(
        List.of(launcher, "sample", "--entries", Integer.toString(people), "-o", ldif.toString()),
        directory.resolve("sample.log"));
  }

  /** Loads the entries and returns the time that took in seconds, the start of the JVM included. */
  double load(Path ldif) throws IOException, InterruptedException, LoadTestException {
    return ServerProcess.run(
        List.of(
            launcher,
            "import",
            ldif.toString(),
            "--config",
            configuration().toString(),
            "--data",
            data().toString(),
            "--replace"),
        directory.resolve("import.log"));
  }

  /** Starts the server on the loaded data. */
  ServerProcess start() throws IOException, LoadTestException {
    InetSocketAddress address = ServerProcess.freeAddress();
    return ServerProcess.start(
        "nyala",
        address,
        List.of(
            launcher,
            "serve",
            "--config",
            configuration().toString(),
            "--data",
            data().toString(),
            "--listen",
            "ldap://127.0.0.1:" + address.getPort()),
        directory.resolve("serve.log"));
  }

  /** The greatest file of the data directory: the LMDB map. */
  Path dataFile() throws IOException {
    try (var files = Files.walk(data())) {
      return files
          .filter(file -> file.endsWith("data.mdb"))
          .findFirst()
          .orElseGet(() -> data().resolve("data.mdb"));
    }
  }

  /** Heap in use after a full collection, in bytes; -1 if jcmd is missing or fails. */
  long heapUsedBytes(ServerProcess server) throws InterruptedException {
    String pid = Long.toString(server.pid());
    try {
      Path log = directory.resolve("heap.log");
      ServerProcess.run(List.of(jcmd, pid, "GC.run"), log);
      ServerProcess.run(List.of(jcmd, pid, "GC.heap_info"), log);
      return heapUsed(Files.readString(log));
    } catch (IOException | LoadTestException e) {
      return -1;
    }
  }

  /** Adds up the generations that {@code GC.heap_info} lists. */
  public static long heapUsed(String heapInfo) {
    Matcher generations = HEAP_USED.matcher(heapInfo);
    long kibibytes = 0;
    boolean found = false;
    while (generations.find()) {
      kibibytes += Long.parseLong(generations.group(1));
      found = true;
    }
    return found ? kibibytes * 1024 : -1;
  }

  private Path data() {
    return directory.resolve("data");
  }

  /** Returns the settings that are not the default of the distribution, for the report. */
  String settings() {
    return "root = " + Account.ROOT.dn() + "; " + String.join("; ", settings);
  }

  /** Returns what logins do with the fast hashes of the sample people, for the report. */
  String logins() {
    return replacesHashes
        ? "replace the fast hashes of the people by slow ones (password."
            + UPGRADES
            + ", as by default)"
        : "leave the fast hashes of the people as they are";
  }

  private Path configuration() throws IOException {
    return Files.writeString(
        directory.resolve("nyala.conf"),
        String.format(
            Locale.ROOT,
            """
            nyala {
              root { dn = "%s", password = "%s" }
              %s
            }
            """,
            Account.ROOT.dn(),
            Account.ROOT.password(),
            String.join("\n  ", settings)));
  }

  /**
   * Returns the lines of the configuration.
   *
   * @param keepsHashes true to keep the hashes as they are, as other servers do; older
   *     distributions do in any case, and have no key for it
   */
  private static List<String> settings(boolean keepsHashes, List<String> further) {
    List<String> all = new ArrayList<>();
    all.add("access.anonymousRead = true");
    if (keepsHashes) {
      all.add("password." + UPGRADES + " = false");
    }
    all.addAll(further);
    return List.copyOf(all);
  }
}

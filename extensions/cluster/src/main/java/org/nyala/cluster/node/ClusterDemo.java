package org.nyala.cluster.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The demonstration of a cluster on one machine: three members from this installation, clients that
 * write and read, and the end of the member that leads. It shows each command that it types.
 *
 * <p>Confined to one thread.
 */
final class ClusterDemo {
  private static final int MEMBERS = 3;
  private static final String SECONDS = "20";
  private static final String KILL_AT = "@6s";
  private static final String ROOT = "cn=admin,dc=example,dc=com";
  private static final String PASSWORD = "demo";

  private final PrintWriter out;
  private final PrintWriter err;
  private final List<Path> started = new ArrayList<>();
  private Path home = Path.of("");

  ClusterDemo(PrintWriter out, PrintWriter err) {
    this.out = out;
    this.err = err;
  }

  /**
   * Runs it.
   *
   * @param arguments the folder for the members, which must not exist; none for a temporary one
   * @return the exit code: 0 if no answered change was lost
   */
  int run(List<String> arguments) {
    if (arguments.size() > 1) {
      throw new IllegalArgumentException("expected one folder at most after demo");
    }
    home = home();
    if (!Files.isExecutable(home.resolve("bin/nyala"))) {
      throw new IllegalArgumentException("demo runs from an installation: bin/nyala cluster demo");
    }
    try {
      Path folder =
          arguments.isEmpty()
              ? Files.createTempDirectory("nyala-cluster")
              : Files.createDirectory(Path.of(arguments.getFirst()).toAbsolutePath());
      return demonstrate(folder);
    } catch (IOException e) {
      throw new IllegalArgumentException("the folder cannot be used: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    } catch (FailedException e) {
      err.println(e.getMessage());
      return 1;
    }
  }

  /** Returns the folder of the installation that this class comes from: above that of its jar. */
  private static Path home() {
    try {
      Path jar =
          Path.of(ClusterDemo.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return jar.resolve("../..").normalize();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The end of a command that the demonstration cannot do without. */
  private static final class FailedException extends Exception {
    private static final long serialVersionUID = 1;

    FailedException(String command) {
      super("this command has failed: " + command);
    }
  }

  private int demonstrate(Path folder) throws IOException, InterruptedException, FailedException {
    List<Integer> ports = new ArrayList<>();
    List<Path> configurations = new ArrayList<>();
    for (int i = 0; i < MEMBERS; i++) {
      int port = freePort();
      Path data = folder.resolve("data" + (i + 1));
      ports.add(port);
      configurations.add(
          Files.writeString(
              folder.resolve("member" + (i + 1) + ".conf"),
              String.format(
                  Locale.ROOT,
                  """
              nyala {
                listeners = ["ldap://127.0.0.1:%d"]
                data = "%s"
                suffixes = ["dc=example,dc=com"]
                root { dn = "%s", password = "%s" }
                cluster { address = "127.0.0.1:%d", referTo = "ldap://127.0.0.1:%d", writes = refer }
              }
              """,
                  port,
                  data,
                  ROOT,
                  PASSWORD,
                  freePort(),
                  port)));
    }
    try {
      form(folder, configurations);
      return fail(folder, ports);
    } finally {
      for (Path each : started) {
        type(false, "nyala", "stop", "--config", each.toString());
      }
      out.println("the configurations and data are in " + folder);
    }
  }

  private void form(Path folder, List<Path> configurations)
      throws IOException, InterruptedException, FailedException {
    String first = configurations.getFirst().toString();
    String people = folder.resolve("people.ldif").toString();
    require("nyala", "sample", "--entries", "1000", "-o", people);
    require("nyala", "import", people, "--config", first);
    start(configurations.getFirst());
    String member =
        found("nyala cluster join (\\S+)", require("nyala", "cluster", "init", "--config", first));
    for (Path each : configurations.subList(1, MEMBERS)) {
      start(each);
      require("nyala", "cluster", "join", member, "--config", each.toString());
    }
    require("nyala", "cluster", "status", "--config", first);
  }

  /** Kills the first member, which leads, while clients write and read. */
  private int fail(Path folder, List<Integer> ports) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of("nyala-loadtest", "failover"));
    for (int port : ports) {
      words.addAll(List.of("--url", "ldap://127.0.0.1:" + port));
    }
    words.addAll(
        List.of(
            "--writes",
            "--bind-dn",
            ROOT,
            "--password",
            PASSWORD,
            "--seconds",
            SECONDS,
            "--fault",
            "kill:" + folder.resolve("data1/run/nyala.pid") + KILL_AT));
    boolean isKept = type(true, words.toArray(String[]::new)).exitCode == 0;
    out.println(
        isKept
            ? "the member that led was killed, and no answered change was lost"
            : "see above: something was lost, or could not be measured");
    return isKept ? 0 : 1;
  }

  private void start(Path configuration) throws IOException, InterruptedException, FailedException {
    started.add(configuration);
    require("nyala", "start", "--config", configuration.toString());
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static String found(String pattern, String text) throws FailedException {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    if (!matcher.find()) {
      throw new FailedException(text);
    }
    return matcher.group(1);
  }

  private String require(String... words)
      throws IOException, InterruptedException, FailedException {
    Ended ended = type(true, words);
    if (ended.exitCode != 0) {
      throw new FailedException(String.join(" ", words));
    }
    return ended.text;
  }

  private record Ended(int exitCode, String text) {}

  /** Runs a command of the installation; shows it, and what it prints. */
  private Ended type(boolean isShown, String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(words));
    command.set(0, home.resolve("bin").resolve(words[0]).toString());
    if (isShown) {
      out.println("$ bin/" + String.join(" ", words));
    }
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .start();
    StringBuilder text = new StringBuilder();
    try (BufferedReader lines = process.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        text.append(line).append('\n');
        if (isShown) {
          out.println(line);
          out.flush();
        }
      }
    }
    return new Ended(process.waitFor(), text.toString());
  }
}

package org.nyala.tarball;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.Processes;

/**
 * Types the manual's quick start, and that of the README, at a terminal of a machine with a shell
 * and LDAP's clients, and without Java. Whoever follows them still has the first user afterwards.
 *
 * <p>Ports are those of the page. If the system allows it, the terminals have a loopback of their
 * own, so that the ports cannot collide; otherwise no other program may listen on them.
 */
class QuickStartIT {
  private static final Path PAGE = Path.of("../src-docs/quick-start.adoc");
  private static final Path README = Path.of("../README.md");

  /** The headings between which the README has commands for an unpacked tarball. */
  private static final String README_BEGIN = "## Use it";

  private static final String README_END = "## What it does";

  /** The start of a block that is the configuration file of the README, not a command. */
  private static final String CONFIGURATION = "nyala {";

  private static final String README_CONFIGURATION = "example.conf";

  /** The programs that the page and the launcher need. */
  private static final List<String> PROGRAMS =
      List.of(
          "cat",
          "grep",
          "gzip",
          "ldapadd",
          "ldapmodify",
          "ldappasswd",
          "ldapsearch",
          "readlink",
          "setsid",
          "tar",
          "wc");

  private static final Pattern PASSWORD = Pattern.compile("[^\n]*(?i:password)[^\n]*: $");
  private static final Pattern READY = Pattern.compile("nyala ready on ldap://[^\n]+\n");
  private static final String SERVE = "bin/nyala serve";
  private static final Set<String> FENCES = Set.of("----", "```");

  /** The mark of a block that shows the output of the one before it. */
  private static final String OUTPUT = "[.output]";

  /** The text that stands for the rest of a line. */
  private static final String REST = "…";

  /** Lines to type, and lines that appear then, among others. */
  private record Step(List<String> commands, List<String> output) {}

  @TempDir Path folder;

  private final List<Terminal> terminals = new ArrayList<>();
  private Process network;
  private List<String> prefix = List.of();
  private Map<String, String> environment;

  @BeforeEach
  void prepare() throws Exception {
    Path tarball = Tarball.file();
    Files.copy(tarball, folder.resolve(tarball.getFileName()));
    Path programs = Files.createDirectory(folder.resolve("programs"));
    for (String name : PROGRAMS) {
      Processes.lend(name, programs);
    }
    environment =
        Map.of(
            "PATH",
            programs.toString(),
            "HOME",
            folder.toString(),
            "TERM",
            "dumb",
            "LDAPNOINIT",
            "1");
    openNetwork();
  }

  /** Opens a loopback for this test alone, kept by a process that waits for its standard input. */
  private void openNetwork() throws Exception {
    Path out = folder.resolve("network.out");
    network =
        new ProcessBuilder(
                "/usr/bin/unshare",
                "--net",
                "/bin/sh",
                "-c",
                "ip link set lo up && echo up && exec cat")
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    eventually(
        "it is up, or cannot be",
        () -> !network.isAlive() || Files.readString(out).contains("up\n"));
    if (network.isAlive()) {
      prefix = List.of("/usr/bin/nsenter", "--target", Long.toString(network.pid()), "--net", "--");
    }
  }

  @AfterEach
  void closeAll() throws Exception {
    for (Terminal terminal : terminals) {
      terminal.close();
    }
    // A step that failed half-way may have left a server running.
    try (var files = Files.newDirectoryStream(folder, "nyala-*")) {
      for (Path home : files) {
        if (Files.isDirectory(home.resolve("data"))) {
          Processes.run(folder, Map.of(), List.of(home.resolve("bin/nyala").toString(), "stop"));
        }
      }
    }
    network.destroyForcibly().waitFor();
  }

  private Terminal terminal() throws IOException {
    Path screen = folder.resolve("screen" + terminals.size());
    Terminal terminal = Terminal.open(folder, screen, prefix, environment);
    terminals.add(terminal);
    return terminal;
  }

  private static List<Step> steps(List<String> page) {
    List<Step> steps = new ArrayList<>();
    boolean isOutput = false;
    Iterator<String> lines = page.iterator();
    while (lines.hasNext()) {
      String line = lines.next();
      if (FENCES.contains(line)) {
        List<String> block = block(lines, line);
        if (isOutput) {
          Step step = steps.removeLast();
          steps.add(new Step(step.commands(), block));
        } else {
          steps.add(new Step(block, List.of()));
        }
      }
      isOutput = line.equals(OUTPUT);
    }
    return steps;
  }

  private static List<String> block(Iterator<String> lines, String fence) {
    List<String> block = new ArrayList<>();
    for (String line = lines.next(); !line.equals(fence); line = lines.next()) {
      block.add(line);
    }
    return block;
  }

  @Test
  void shouldWorkAsThePageSays() throws Exception {
    List<Step> steps = steps(Files.readAllLines(PAGE));
    assertThat(steps).hasSizeGreaterThan(6);
    Terminal terminal = terminal();
    boolean isServing = false;
    for (Step step : steps) {
      if (isServing) {
        carryOut(step, terminal());
        terminal.interrupt();
        assertThat(terminal.await(Terminal.PROMPT).group(1)).isEqualTo("0");
        isServing = false;
      } else {
        isServing = carryOut(step, terminal);
      }
      if (step.commands().getLast().endsWith("bin/nyala stop --config conf/my.conf")) {
        haveData(terminal);
      }
    }
    type("bin/nyala stop --config conf/my.conf --data imported", terminal, "");
    haveAda("conf/my.conf", "uid=ada,ou=People,dc=example,dc=com", terminal);
  }

  @Test
  void shouldWorkAsTheReadmeSays() throws Exception {
    List<String> readme = Files.readAllLines(README);
    List<Step> steps =
        steps(readme.subList(readme.indexOf(README_BEGIN), readme.indexOf(README_END)));
    assertThat(steps).hasSize(3);
    Terminal terminal = terminal();
    type("tar -xzf nyala-*-linux-x64.tar.gz", terminal, "");
    type("cd nyala-*/", terminal, "");
    haveData(terminal);
    type("printf 'database mdb\\nsuffix dc=example,dc=com\\n' > slapd.conf", terminal, "");
    for (Step step : steps) {
      if (step.commands().getFirst().equals(CONFIGURATION)) {
        type("cat > " + README_CONFIGURATION + " <<'EOF'", terminal, "");
        for (String line : step.commands()) {
          type(line, terminal, "");
        }
        type("EOF", terminal, "");
      } else {
        assertThat(carryOut(step, terminal)).as("all servers are in the background").isFalse();
      }
    }
    type("bin/nyala stop --config example.conf --data imported", terminal, "");
    haveAda(README_CONFIGURATION, "uid=ada,dc=example,dc=com", terminal);
  }

  /** Finds the first user of a page, who has the password that the page has set. */
  private static void haveAda(String configuration, String dn, Terminal terminal)
      throws IOException {
    type("bin/nyala start --config " + configuration, terminal, "");
    int from = terminal.everything().length();
    type(
        "ldapsearch -x -LLL -H ldap://127.0.0.1:1389 -D "
            + dn
            + " -w analytical -b "
            + dn
            + " mail",
        terminal,
        "");
    assertThat(terminal.everything().substring(from)).contains("mail: ada@example.com");
    type("bin/nyala stop --config " + configuration, terminal, "");
  }

  /** Creates the data that the page assumes. */
  private static void haveData(Terminal terminal) throws IOException {
    type("bin/nyala sample --entries 30 -o people.ldif", terminal, "");
  }

  /** Types the lines of a step; returns whether a server runs in the foreground then. */
  private static boolean carryOut(Step step, Terminal terminal) throws IOException {
    int from = terminal.everything().length();
    boolean isServing = false;
    String command = "";
    for (String line : step.commands()) {
      command = isWhole(terminal) ? line : command;
      isServing = type(line, terminal, command);
    }
    if (!step.output().isEmpty()) {
      List<String> expected = step.output().stream().map(line -> line.replace(REST, "")).toList();
      assertThat(terminal.everything().substring(from)).containsSubsequence(expected);
    }
    return isServing;
  }

  private static boolean isWhole(Terminal terminal) throws IOException {
    return !Terminal.MORE.matcher(terminal.everything()).find();
  }

  /**
   * Types a line and the answers to its questions.
   *
   * @param command the command that the line belongs to
   */
  private static boolean type(String line, Terminal terminal, String command) throws IOException {
    terminal.type(line);
    if (line.startsWith(SERVE)) {
      terminal.await(READY);
      return true;
    }
    while (true) {
      Matcher end = terminal.await(Terminal.PROMPT, Terminal.MORE, PASSWORD);
      if (end.pattern().equals(PASSWORD)) {
        terminal.type(password(end.group(), command));
      } else {
        if (end.pattern().equals(Terminal.PROMPT)) {
          assertThat(end.group(1)).as(terminal.everything()).isEqualTo("0");
        }
        return false;
      }
    }
  }

  /** Returns Ada's password if the question is about her: a new one, or the current one. */
  private static String password(String question, String command) {
    boolean isNew = question.contains("New") || question.contains("new");
    return isNew || command.contains("-D uid=ada") ? "analytical" : "secret";
  }
}

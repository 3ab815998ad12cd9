package org.nyala.tarball;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nyala.process.DocumentedPage.Block;

/**
 * A user who types the commands of a page at terminals, answers questions, and looks at what comes.
 *
 * <p>If the system allows it, the terminals have a loopback of their own, so that the ports of
 * pages cannot collide. Otherwise no other program may listen on them, and users wait for each
 * other.
 *
 * <p>Confined to one thread.
 */
final class Typist implements AutoCloseable {
  private static final Pattern PASSWORD = Pattern.compile("[^\n]*(?i:password)[^\n]*: $");
  private static final Pattern READY = Pattern.compile("nyala ready on ldaps?://[^\n]+\n");

  /** A command that ends by Ctrl-C alone. */
  private static final Pattern SERVE = Pattern.compile("(\\S+=\\S+ )*bin/nyala serve\\b.*");

  /** Commands that go on for ever, which are interrupted after some output. */
  private static final Map<Pattern, Pattern> ENDLESS =
      Map.of(
          Pattern.compile(".*nyala changes .*--follow.*"), Pattern.compile("\\{.*}\n"),
          Pattern.compile("ldapsearch .*(!ps=|sync=rp).*"), Pattern.compile("# requesting: .*\n"));

  /** A command that is repeated until it succeeds, as the page says. */
  private static final Pattern REPEATED = Pattern.compile("bin/nyala sync status");

  /** The text that stands for the rest of a line. */
  private static final String REST = "…";

  /** The line that stands for further ones. */
  private static final String MORE_LINES = "...";

  /** Stands for an exit code that is not there yet. */
  private static final int GOES_ON = -1;

  private static final String SESSION = "$ ";
  private static final Path LOCK = Path.of("target", "ports.lock");

  private final Path folder;
  private final Map<String, String> environment;
  private final BinaryOperator<String> passwords;
  private final List<Terminal> terminals = new ArrayList<>();
  private final Process network;
  private final FileChannel ports;
  private List<String> prefix = List.of();
  private Path place;
  private boolean isServing;

  /**
   * Sits down at a terminal.
   *
   * @param folder the folder in which commands begin; processes of programs in it, or that name it,
   *     end with the typist
   * @param environment the whole environment of commands
   * @param passwords the answer to a question for a password by a command
   */
  Typist(Path folder, Map<String, String> environment, BinaryOperator<String> passwords)
      throws IOException {
    this.folder = folder;
    this.place = folder;
    this.environment = Map.copyOf(environment);
    this.passwords = passwords;
    this.ports = FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    this.network = openNetwork();
    terminal();
  }

  /** Opens a loopback for this user alone, kept by a process that waits for its standard input. */
  private Process openNetwork() throws IOException {
    Path out = folder.resolve("network.out");
    Process keeper =
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
        () -> !keeper.isAlive() || Files.readString(out).contains("up\n"));
    if (keeper.isAlive()) {
      prefix = List.of("/usr/bin/nsenter", "--target", Long.toString(keeper.pid()), "--net", "--");
    } else {
      ports.lock();
    }
    return keeper;
  }

  private Terminal terminal() throws IOException {
    Path screen = folder.resolve("screen" + terminals.size());
    Terminal terminal = Terminal.open(place, screen, prefix, environment);
    terminals.add(terminal);
    return terminal;
  }

  /**
   * Types the commands of a block; each must succeed, but for one if the block says so. If the
   * block before has left a server in the foreground, types them at another terminal and ends the
   * server then.
   *
   * @return what has appeared
   */
  String type(Block block) throws IOException {
    boolean isSession = block.text().getFirst().startsWith(SESSION);
    List<String> commands =
        isSession
            ? block.text().stream()
                .filter(line -> line.startsWith(SESSION))
                .map(line -> line.substring(SESSION.length()))
                .toList()
            : block.text();
    String shown = type(commands, block.exitCode());
    if (isSession) {
      shouldShow(block, shown);
    }
    return shown;
  }

  /** Goes to a folder, in which terminals that are opened later begin. */
  void enter(Path folder) throws IOException {
    type("cd " + folder);
    place = folder;
  }

  /** Types commands, all of which must succeed. */
  String type(String... commands) throws IOException {
    return type(List.of(commands), 0);
  }

  private String type(List<String> commands, int exitCode) throws IOException {
    if (!isServing) {
      return type(commands, exitCode, terminals.getFirst());
    }
    isServing = false;
    String shown = type(commands, exitCode, terminal());
    assertThat(interrupt(terminals.getFirst())).isZero();
    return shown;
  }

  private String type(List<String> commands, int exitCode, Terminal terminal) throws IOException {
    int from = terminal.everything().length();
    boolean isOwed = exitCode != 0;
    String command = "";
    for (String line : commands) {
      boolean isWhole = !Terminal.MORE.matcher(terminal.everything()).find();
      if (isWhole && (line.isBlank() || line.startsWith("#"))) {
        continue;
      }
      if (isServing) {
        assertThat(interrupt(terminal)).isZero();
        isServing = false;
      }
      command = isWhole ? line : command;
      int code = typeLine(line, command, terminal);
      assertThat(code).as(terminal.shown()).isIn(GOES_ON, 0, exitCode);
      isOwed &= code != exitCode;
    }
    assertThat(isOwed).as("exit code %d of %s", exitCode, commands).isFalse();
    return terminal.everything().substring(from);
  }

  private static int interrupt(Terminal terminal) throws IOException {
    terminal.interrupt();
    return Integer.parseInt(terminal.await(Terminal.PROMPT).group(1));
  }

  /**
   * Types a line and the answers to its questions.
   *
   * @param command the first line of the command
   * @return the exit code, or that the command goes on
   */
  private int typeLine(String line, String command, Terminal terminal) throws IOException {
    terminal.type(line);
    if (SERVE.matcher(line).matches()) {
      terminal.await(READY);
      isServing = true;
      return GOES_ON;
    }
    for (Map.Entry<Pattern, Pattern> each : ENDLESS.entrySet()) {
      if (each.getKey().matcher(line).matches()) {
        int code = answer(command, terminal, each.getValue(), Terminal.PROMPT);
        assertThat(code).as("ends by itself: %s", terminal.shown()).isEqualTo(GOES_ON);
        interrupt(terminal);
        return 0;
      }
    }
    int code = answer(command, terminal, Terminal.PROMPT, Terminal.MORE);
    while (code != 0 && REPEATED.matcher(line).lookingAt()) {
      terminal.type(line);
      code = answer(command, terminal, Terminal.PROMPT);
    }
    return code;
  }

  /** Returns the exit code of the command, or that something else is awaited. */
  private int answer(String command, Terminal terminal, Pattern... awaited) throws IOException {
    Pattern[] all = Arrays.copyOf(awaited, awaited.length + 1);
    all[awaited.length] = PASSWORD;
    while (true) {
      Matcher end = terminal.await(all);
      if (!end.pattern().equals(PASSWORD)) {
        return end.pattern().equals(Terminal.PROMPT) ? Integer.parseInt(end.group(1)) : GOES_ON;
      }
      terminal.type(passwords.apply(end.group(), command));
    }
  }

  /** Asserts that the lines of a block have appeared, in their order. */
  static void shouldShow(Block block, String shown) {
    int from = 0;
    for (String line : block.text()) {
      if (line.isBlank() || line.equals(MORE_LINES) || line.startsWith(SESSION)) {
        continue;
      }
      String pattern = Pattern.quote(line).replace(REST, "\\E.*\\Q");
      if (block.hasAnyFigures()) {
        pattern = pattern.replaceAll("[0-9]+", "\\\\E[0-9]+\\\\Q").replaceAll(" +", "\\\\E +\\\\Q");
      }
      Matcher matcher = Pattern.compile(pattern).matcher(shown);
      assertThat(matcher.find(from)).as("line %d: '%s' in: %s", block.line(), line, shown).isTrue();
      from = matcher.end();
    }
  }

  /** Ends all that it has started, also what commands have left in the background. */
  @Override
  public void close() throws IOException {
    for (Terminal terminal : terminals) {
      terminal.close();
    }
    List<ProcessHandle> left =
        ProcessHandle.allProcesses()
            .filter(each -> each.info().commandLine().orElse("").contains(folder.toString() + '/'))
            .toList();
    left.forEach(ProcessHandle::destroyForcibly);
    left.forEach(each -> each.onExit().join());
    network.destroyForcibly().onExit().join();
    ports.close();
  }
}

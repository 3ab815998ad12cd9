package org.nyala.tarball;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bash on a terminal of its own, as a user has it, made by {@code script} of Debian's package
 * bsdutils. Confined to one thread.
 */
final class Terminal implements AutoCloseable {
  /** The prompt of bash for a command, with the exit code of the previous one. */
  static final Pattern PROMPT = Pattern.compile("<(\\d+)> $");

  /** The prompt of bash for the rest of a command. */
  static final Pattern MORE = Pattern.compile("<more> $");

  private static final Path SCRIPT = Path.of("/usr/bin/script");
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final char INTERRUPT = 3;

  private final Process process;
  private final Path screen;
  private final OutputStream keyboard;
  private int seen;

  private Terminal(Process process, Path screen) {
    this.process = process;
    this.screen = screen;
    this.keyboard = process.getOutputStream();
  }

  /**
   * Opens a terminal and waits until it accepts commands.
   *
   * @param prefix the command that runs the shell in another environment
   * @param environment the whole environment of the shell, apart from prompts
   */
  static Terminal open(
      Path folder, Path screen, List<String> prefix, Map<String, String> environment)
      throws IOException {
    assertThat(SCRIPT).as("%s is needed for this test: install bsdutils", SCRIPT).isExecutable();
    List<String> command = new ArrayList<>(prefix);
    // Tests in the background may have these signals ignored, and so would all commands typed here.
    command.addAll(
        List.of(
            "/usr/bin/env",
            "--default-signal=HUP,INT,QUIT",
            SCRIPT.toString(),
            "--quiet",
            "--flush",
            "--command",
            "/bin/bash --norc --noprofile --noediting -i",
            screen.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.environment().put("PS1", "<$?> ");
    builder.environment().put("PS2", "<more> ");
    Terminal terminal = new Terminal(builder.start(), screen);
    terminal.await(PROMPT);
    return terminal;
  }

  /** Types a line. */
  void type(String line) throws IOException {
    press(line + "\n");
  }

  /** Presses Ctrl-C. */
  void interrupt() throws IOException {
    press(Character.toString(INTERRUPT));
  }

  private void press(String keys) throws IOException {
    seen = everything().length();
    keyboard.write(keys.getBytes(UTF_8));
    keyboard.flush();
  }

  /**
   * Waits until one of the patterns has appeared since the last input.
   *
   * @return the match
   */
  Matcher await(Pattern... any) throws IOException {
    long start = System.nanoTime();
    long looked = -1;
    while (System.nanoTime() - start < PATIENCE_NANOS) {
      boolean isAlive = process.isAlive();
      long size = Files.exists(screen) ? Files.size(screen) : 0;
      if (size != looked) {
        looked = size;
        String shown = shown();
        for (Pattern each : any) {
          Matcher matcher = each.matcher(shown);
          if (matcher.find()) {
            return matcher;
          }
        }
      }
      assertThat(isAlive).as("%s: %s", process, screen).isTrue();
      LockSupport.parkNanos(5_000_000);
    }
    throw new AssertionError("none of " + List.of(any) + " came up: " + everything());
  }

  /** Returns the text that has appeared since the last input, with its echo. */
  String shown() throws IOException {
    return everything().substring(seen);
  }

  /** Returns all text that has appeared, in lines. */
  String everything() throws IOException {
    return Files.exists(screen)
        // The last character may be incomplete.
        ? new String(Files.readAllBytes(screen), UTF_8)
            .replace("\r", "")
            .replaceFirst("^Script started[^\n]*\n", "")
        : "";
  }

  @Override
  public void close() throws IOException {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join();
  }
}

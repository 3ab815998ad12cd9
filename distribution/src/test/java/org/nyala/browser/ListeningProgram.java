package org.nyala.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nyala.process.Processes;

/**
 * A program that listens on a port of its own choice, which it prints.
 *
 * <p>Confined to one thread.
 */
final class ListeningProgram implements AutoCloseable {
  private final Process process;
  private final Path log;
  private final int port;

  private ListeningProgram(Process process, Path log, Pattern started) throws IOException {
    this.process = process;
    this.log = log;
    eventually(
        "it listens",
        () -> {
          assertThat(process.isAlive()).as("it lives: %s", log()).isTrue();
          return started.matcher(log()).find();
        });
    Matcher found = started.matcher(log());
    assertThat(found.find()).isTrue();
    this.port = Integer.parseInt(found.group(1));
  }

  /**
   * Starts a program, and waits until it listens.
   *
   * @param started the line that it prints then, with the port as the first group
   */
  static ListeningProgram start(
      Path folder, Map<String, String> environment, List<String> command, Pattern started)
      throws IOException {
    assertThat(Path.of(command.getFirst())).as("needed for this test").isExecutable();
    Path log = Files.createTempFile(folder, "program", ".log");
    Process process = Processes.start(folder, environment, command, log, log);
    return new ListeningProgram(process, log, started);
  }

  int port() {
    return port;
  }

  /** Returns what it has printed so far. */
  String log() throws IOException {
    return Files.readString(log);
  }

  /** Ends it with the processes that it has started. */
  @Override
  public void close() {
    List<ProcessHandle> all = process.descendants().toList();
    process.destroy();
    process.onExit().join();
    all.forEach(ProcessHandle::destroy);
    all.forEach(each -> each.onExit().join());
  }
}

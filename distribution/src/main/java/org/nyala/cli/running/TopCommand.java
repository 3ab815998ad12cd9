package org.nyala.cli.running;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.nyala.cli.command.DataCommand;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.management.bean.LocalManagement;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code nyala top}. */
@Command(
    name = "top",
    description = {
      "Shows what the server does, again each second: alarms, rates and durations by operation,"
          + " commits, certificates, locked accounts, copies and members.",
      "Below is a list of one part, as the live page has it.",
      "The keys are explained on the screen. per s and mean are of the last second; p50, p99 and"
          + " p99.9 are since the server started.",
      "Must be run as the server's user, or with --jmx as the user of management.jmxAdmin."
    })
public final class TopCommand extends DataCommand {
  private static final int MOST_SECONDS = 3600;
  private static final int MOST_ROWS = 10_000;
  private static final int WIDTH_OF_TEXT = 200;

  /** The further seconds that --once waits for what the server searches for. */
  private static final int MOST_WAIT_SECONDS = 10;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Time between two looks, 1 to 3600 (default ${DEFAULT-VALUE}).")
  private int seconds = 1;

  @Option(
      names = "--once",
      description = "Look for --seconds, print what the screen would show, and end.")
  private boolean once;

  @Option(
      names = "--json",
      description =
          "Print one JSON object at each look, in a line of its own; the manual names its members.")
  private boolean json;

  @Option(
      names = "--rows",
      paramLabel = "N",
      description =
          "With --once: maximum rows of the list; with --json: of connections; 1 to 10000 (default"
              + " ${DEFAULT-VALUE}).")
  private int rows = 20;

  @Option(
      names = "--by",
      paramLabel = "ORDER",
      description =
          "The order of connections at first, the greatest first: ${COMPLETION-CANDIDATES} (default"
              + " ${DEFAULT-VALUE}).")
  private TopScreen.Order order = TopScreen.Order.rate;

  @Option(
      names = "--list",
      paramLabel = "NAME",
      description = "The list at first: ${COMPLETION-CANDIDATES} (default ${DEFAULT-VALUE}).")
  private TopList list = TopList.connections;

  @Option(names = "--operations", description = "The same as --list operations.")
  private boolean isOfOperations;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Override
  public Integer call() {
    requireRange(spec(), "--seconds", seconds, 1, MOST_SECONDS);
    requireRange(spec(), "--rows", rows, 1, MOST_ROWS);
    TopScreen form =
        new TopScreen(
            isOfOperations ? TopList.operations : list,
            order,
            TopScreen.FIRST.isReversed(),
            TopScreen.FIRST.first(),
            TopScreen.FIRST.isPaused());
    try (LocalManagement server = remote.connect().orElseGet(this::connect)) {
      TopSample.Reader reader = new TopSample.Reader(server);
      reader.read();
      if (once || json) {
        print(reader, form);
      } else {
        watch(reader, form);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw CommandException.failed(ErrorMessages.line(e));
    }
    return ExitCode.OK;
  }

  private void print(TopSample.Reader reader, TopScreen form)
      throws IOException, InterruptedException {
    do {
      TimeUnit.SECONDS.sleep(seconds);
      TopSample sample = reader.read();
      for (int i = 0; once && i < MOST_WAIT_SECONDS && !sample.isExamined(); i++) {
        TimeUnit.SECONDS.sleep(1);
        sample = reader.read();
      }
      if (json) {
        out().println(sample.json(form.sorted(sample).stream().limit(rows).toList()));
      } else {
        form.text(sample, WIDTH_OF_TEXT, rows).stream()
            .map(String::stripTrailing)
            .forEach(out()::println);
      }
      out().flush();
    } while (!once && !out().checkError());
  }

  private void watch(TopSample.Reader reader, TopScreen first) throws IOException {
    try (KeyedTerminal terminal = terminal()) {
      TopScreen form = first;
      TopSample sample = reader.read();
      long next = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      show(terminal, form, sample);
      while (true) {
        int key = terminal.key();
        boolean isDue = System.nanoTime() - next >= 0;
        if (key == 'q') {
          return;
        }
        if (isDue && !form.isPaused()) {
          sample = reader.read();
        }
        if (isDue) {
          next = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        }
        TopScreen after = form.after(key);
        if (isDue || !after.equals(form)) {
          form = after;
          show(terminal, form, sample);
        }
      }
    }
  }

  private static KeyedTerminal terminal() throws IOException {
    try {
      return KeyedTerminal.open();
    } catch (IOException e) {
      throw new IOException("there is no terminal: use --once or --json", e);
    }
  }

  private static void show(KeyedTerminal terminal, TopScreen form, TopSample sample)
      throws IOException {
    int[] size = terminal.size();
    terminal.show(form.lines(sample, size[1], size[0]));
  }
}

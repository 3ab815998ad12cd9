package org.nyala.loadtest.failover;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.format.JsonNumber;
import org.nyala.loadtest.format.ReportTable;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Measures the lag of copies by writing at one server and reading at the others. Confined to the
 * thread that runs it.
 */
@Command(
    name = "lag",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    description =
        "Writes at the first server that takes it, and reads at the others until they have it: the"
            + " lag of copies, however they are made.",
    footer =
        "Exit codes: 0 every write came, 1 one did not come in time, or the test could not be done,"
            + " 2 wrong usage.")
public final class LagCommand implements Callable<Integer> {
  private static final double NANOS = 1e9;
  private static final double[] PERCENTILES = {50, 90, 99, 100};

  @Mixin private ServerOptions servers = new ServerOptions();

  @Option(names = "--seconds", description = "length of the test")
  private double seconds = 10;

  @Option(
      names = "--writes-per-second",
      description = "how often is written; a write waits until all copies have the last one")
  private double rate = 20;

  @Option(
      names = "--lag-limit",
      paramLabel = "SECONDS",
      description =
          "how long a write may take to come, and the entry before the test; copies may retry a"
              + " lost connection after some ten seconds only")
  private double limit = 60;

  @Mixin private GroundOptions ground = new GroundOptions("ou=lag,dc=example,dc=com");

  @Option(names = "--json", paramLabel = "FILE", description = "write the results for programs")
  private @Nullable Path json;

  @Spec private @Nullable CommandSpec spec;

  /** The lag of one copy. Confined to the thread that reads there. */
  private static final class Copy {
    private final Server server;
    private final Histogram lag = new Histogram(3);
    private final Histogram resolution = new Histogram(3);
    private int missed;

    Copy(Server server) {
      this.server = server;
    }

    /** Reads until a number is there, or a time is over. */
    void await(Tree tree, int number, long writtenNanos, long limitNanos) {
      long unseen = writtenNanos;
      try (Line line = server.open()) {
        while (System.nanoTime() - writtenNanos < limitNanos) {
          long start = System.nanoTime();
          int[] found = {Operations.ABSENT};
          line.ask(tree.read(0), (_, attributes) -> found[0] = Tree.state(attributes).number());
          long end = System.nanoTime();
          if (found[0] >= number) {
            lag.recordValue(end - writtenNanos);
            resolution.recordValue(end - unseen);
            return;
          }
          unseen = start;
        }
      } catch (IOException _) {
        // A write that could not be read is one that did not come.
      }
      missed++;
    }

    private static String at(Histogram of, double percentile) {
      return FigureText.latency(
          of.getTotalCount() == 0 ? Double.NaN : of.getValueAtPercentile(percentile) / 1e3);
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    CommandSpec command = Objects.requireNonNull(spec);
    PrintWriter err = command.commandLine().getErr();
    try {
      Tree tree = ground.tree();
      check();
      List<Server> all = servers.servers(2);
      Ground made = new Ground(all, tree, 1, limit);
      Server first = made.create(err);
      try {
        return report(command.commandLine().getOut(), measure(first, all, tree));
      } finally {
        String left = made.remove(1);
        if (!left.isEmpty()) {
          err.println(left);
        }
      }
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (LoadTestException e) {
      err.println("nyala-loadtest: " + e.getMessage());
    } catch (IOException e) {
      err.println("nyala-loadtest: --url: expected answers to the end, found " + e.getMessage());
    }
    return ExitCode.FAILED;
  }

  private void check() {
    LoadSettings.require(seconds > 0 && seconds <= 86_400, "--seconds", "from 0 to 86400", seconds);
    LoadSettings.require(
        rate > 0 && rate <= 100_000, "--writes-per-second", "from 0 to 100000", rate);
    LoadSettings.require(limit > 0 && limit <= 86_400, "--lag-limit", "from 0 to 86400", limit);
  }

  private List<Copy> measure(Server first, List<Server> all, Tree tree)
      throws IOException, InterruptedException, LoadTestException {
    List<Copy> copies = all.stream().filter(server -> server != first).map(Copy::new).toList();
    long end = System.nanoTime() + (long) (seconds * NANOS);
    long due = System.nanoTime();
    try (ExecutorService threads =
            Executors.newCachedThreadPool(Thread.ofPlatform().name("lag-", 0).factory());
        Line line = first.open()) {
      for (int number = 1; System.nanoTime() - end < 0; number++) {
        int current = number;
        Line.Answer answer = line.ask(tree.replace(0, number));
        if (!answer.isSuccess()) {
          throw new LoadTestException(
              "--url: expected that "
                  + first.url()
                  + " takes writes to the end, found "
                  + answer.inWords());
        }
        long written = System.nanoTime();
        List<Future<?>> reads = new ArrayList<>();
        for (Copy copy : copies) {
          reads.add(
              threads.submit(() -> copy.await(tree, current, written, (long) (limit * NANOS))));
        }
        for (Future<?> read : reads) {
          read.get();
        }
        due += (long) (NANOS / rate);
        Ground.pause(Math.max(0, due - System.nanoTime()));
      }
    } catch (ExecutionException e) {
      throw new LoadTestException("a reader failed: " + e.getCause());
    }
    return copies;
  }

  private int report(PrintWriter out, List<Copy> copies) throws LoadTestException {
    long missed = copies.stream().mapToLong(copy -> copy.missed).sum();
    Copy slowest =
        copies.stream()
            .max(java.util.Comparator.comparingDouble(copy -> copy.lag.getValueAtPercentile(50)))
            .orElseThrow();
    out.println(
        (missed == 0
                ? "Every write came"
                : missed + " writes did not come within --lag-limit " + FigureText.trimmed(limit))
            + "; half of them within "
            + Copy.at(slowest.lag, 50)
            + " and 99 of 100 within "
            + Copy.at(slowest.lag, 99)
            + " at "
            + slowest.server.url()
            + ".\n");
    ReportTable<Copy> table =
        new ReportTable<Copy>()
            .column("copy", copy -> copy.server.url())
            .column("writes", copy -> FigureText.whole((double) copy.lag.getTotalCount()))
            .column("missed", copy -> FigureText.whole(copy.missed));
    for (double percentile : PERCENTILES) {
      String name = percentile == 100 ? "max" : "p" + FigureText.trimmed(percentile);
      table.column("lag " + name, copy -> Copy.at(copy.lag, percentile));
    }
    table
        .column("resolution p50", copy -> Copy.at(copy.resolution, 50))
        .column("p99", copy -> Copy.at(copy.resolution, 99));
    out.print(table.text(copies));
    out.flush();
    write(copies);
    return missed == 0 ? ExitCode.OK : ExitCode.FAILED;
  }

  private void write(List<Copy> copies) throws LoadTestException {
    if (json == null) {
      return;
    }
    JsonArray all = new JsonArray();
    for (Copy copy : copies) {
      JsonObject each = new JsonObject();
      each.addProperty("url", copy.server.url());
      each.addProperty("writes", copy.lag.getTotalCount());
      each.addProperty("missed", copy.missed);
      each.add("lagMicros", percentiles(copy.lag));
      each.add("resolutionMicros", percentiles(copy.resolution));
      all.add(each);
    }
    JsonObject document = new JsonObject();
    document.addProperty("kind", "lag");
    document.add("copies", all);
    try {
      Files.writeString(json, document + System.lineSeparator());
    } catch (IOException e) {
      throw new LoadTestException(
          "--json: expected a file that can be written, found that " + json + " cannot");
    }
  }

  private static JsonObject percentiles(Histogram of) {
    JsonObject percentiles = new JsonObject();
    for (double percentile : PERCENTILES) {
      percentiles.add(
          percentile == 100 ? "max" : "p" + FigureText.trimmed(percentile),
          JsonNumber.of(
              of.getTotalCount() == 0 ? Double.NaN : of.getValueAtPercentile(percentile) / 1e3));
    }
    return percentiles;
  }
}

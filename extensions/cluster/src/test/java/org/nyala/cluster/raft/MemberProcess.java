package org.nyala.cluster.raft;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.nyala.cluster.LogPosition;
import org.nyala.cluster.ReplicatedLog.Outcome;

/**
 * A member in a process of its own, told by lines on its input and telling by lines on its output.
 *
 * <p>Told: {@code add ID HOST PORT}, {@code load THREADS}, {@code rate THREADS SECONDS}, {@code
 * where}, {@code end}. Tells: {@code leads}, {@code follows}, {@code ack NUMBER} for each number
 * that is committed, {@code unknown NUMBER}, {@code rate PER_SECOND}.
 */
final class MemberProcess {
  private static final Object OUT = new Object();

  private final ChainState state;
  private final RaftMember log;
  private final AtomicLong next;
  private volatile int threads;

  private MemberProcess(String[] args) throws IOException {
    Path home = Path.of(args[0]);
    String host = args[1];
    int port = Integer.parseInt(args[2]);
    String listen = args[3];
    LogPosition origin = Boolean.parseBoolean(args[4]) ? TestCluster.ORIGIN : LogPosition.NONE;
    // Numbers of different runs differ.
    this.next = new AtomicLong((System.currentTimeMillis() & 0xFF_FFFF_FFFFL) << 22);
    Path root = home.resolveSibling("");
    this.state = new ChainState(home.resolve("state"), origin, first -> most(root));
    this.log =
        RaftMember.start(
            home.resolve("raft"),
            new RaftMember.Place(host, port, ""),
            RaftSettings.DEFAULT.withListen(listen),
            null,
            state,
            Map.of());
  }

  private static Path most(Path root) throws IOException {
    try (Stream<Path> homes = Files.list(root)) {
      return homes
          .map(home -> home.resolve("state"))
          .filter(Files::exists)
          .max(Comparator.comparingLong(MemberProcess::index))
          .orElseThrow();
    }
  }

  private static long index(Path folder) {
    try {
      return ChainState.head(folder).index();
    } catch (IOException e) {
      return -2;
    }
  }

  static void tell(String line) {
    synchronized (OUT) {
      System.out.println(line);
      System.out.flush();
    }
  }

  /** Proposes numbers one after the other, as long as this thread is asked for. */
  private void propose(int thread) {
    while (threads > thread) {
      if (!state.isLeading()) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        continue;
      }
      long number = next.getAndIncrement();
      Outcome outcome =
          log.propose(state.term(), ChainState.entry(number, 100)).toCompletableFuture().join();
      switch (outcome) {
        case COMMITTED -> tell("ack " + number);
        case UNKNOWN -> tell("unknown " + number);
        case REFUSED -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
    }
  }

  private void load(int count) {
    threads = count;
    for (int i = 0; i < count; i++) {
      int thread = i;
      Thread.ofPlatform().daemon().start(() -> propose(thread));
    }
  }

  /** Proposes from some threads for some time, without telling each number. */
  private long rate(int count, int seconds) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    AtomicLong committed = new AtomicLong();
    List<Thread> proposers =
        Stream.generate(
                () ->
                    Thread.ofPlatform()
                        .start(
                            () -> {
                              while (System.nanoTime() < end) {
                                Outcome outcome =
                                    log.propose(
                                            state.term(),
                                            ChainState.entry(next.getAndIncrement(), 100))
                                        .toCompletableFuture()
                                        .join();
                                if (outcome == Outcome.COMMITTED) {
                                  committed.incrementAndGet();
                                }
                              }
                            }))
            .limit(count)
            .toList();
    for (Thread proposer : proposers) {
      proposer.join();
    }
    return committed.get() / seconds;
  }

  private void follow() throws IOException, InterruptedException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      String[] words = line.split(" ", -1);
      switch (words[0]) {
        case "add" -> {
          log.add(
              new MemberAddress(UUID.fromString(words[1]), words[2], Integer.parseInt(words[3])),
              Duration.ofSeconds(60));
          tell("added");
        }
        case "load" -> load(Integer.parseInt(words[1]));
        case "rate" -> tell("rate " + rate(Integer.parseInt(words[1]), Integer.parseInt(words[2])));
        case "where" -> tell("at " + state.head().count() + " " + log.status());
        default -> {
          log.close();
          return;
        }
      }
    }
  }

  /** Runs a member: HOME HOST PORT LISTEN IS_FIRST. */
  public static void main(String[] args) throws Exception {
    MemberProcess process = new MemberProcess(args);
    tell("started");
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              boolean isTold = false;
              while (true) {
                boolean isLeading = process.state.isLeading();
                if (isLeading != isTold) {
                  tell(isLeading ? "leads" : "follows");
                  isTold = isLeading;
                }
                if (process.state.failure() != null) {
                  tell("failed " + process.state.failure());
                  return;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
              }
            });
    process.follow();
    System.exit(0);
  }
}
